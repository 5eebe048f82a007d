// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "bloomery/errors.h"
#include "bloomery/format/redisbloom/redisbloom_rdb.h"
#include "module/call.h"

namespace bloomery::module {

// Takes values from the server, which stored them where it would. Throws FormatError where they end
// before.
class RdbReader final : public redisbloom::ValueReader {
 public:
  explicit RdbReader(Io* io) : io_(io) {}

  std::uint64_t number(const char* field) override {
    const std::uint64_t value = api().load_unsigned(io_);
    require_read(field);
    return value;
  }
  double real(const char* field) override {
    const double value = api().load_double(io_);
    require_read(field);
    return value;
  }
  std::uint64_t string(const char* field) override {
    std::size_t size = 0;
    string_.reset();
    string_.reset(api().load_bytes(io_, &size));
    require_read(field);
    return string_ == nullptr ? 0 : size;
  }
  void copy(std::span<std::byte> to) override {
    std::copy_n(reinterpret_cast<const std::byte*>(string_.get()), to.size(), to.begin());
    string_.reset();
  }
  std::string place() const override { return {}; }

 private:
  struct Free {
    void operator()(char* bytes) const noexcept { api().free(bytes); }
  };

  void require_read(const char* field) const {
    if (api().is_io_error(io_) != 0) {
      throw FormatError(std::string("not a filter of RedisBloom: no ") + field);
    }
  }

  Io* io_;
  std::unique_ptr<char, Free> string_;
};

}  // namespace bloomery::module
