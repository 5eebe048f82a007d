// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bloomery/format/redisbloom/redisbloom_rdb.h"
#include "module/redis_api.h"

namespace bloomery::module {

// Gives values to the server, which stores them where it will.
class RdbWriter final : public redisbloom::ValueWriter {
 public:
  RdbWriter(const Api& api, Io* io) : api_(api), io_(io) {}
  void number(std::uint64_t value) override { api_.save_unsigned(io_, value); }
  void real(double value) override { api_.save_double(io_, value); }
  void string(std::span<const std::byte> bytes) override {
    api_.save_bytes(io_, reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }

 private:
  const Api& api_;
  Io* io_;
};

}  // namespace bloomery::module
