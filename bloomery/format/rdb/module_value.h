// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bloomery/bits/shared_words.h"
#include "bloomery/format/bit_order.h"
#include "bloomery/format/rdb/rdb_cursor.h"
#include "bloomery/format/redisbloom/redisbloom_cuckoo_rdb.h"
#include "bloomery/format/redisbloom/redisbloom_rdb.h"

// The value of a module in a dump: values with a tag before each, so that a reader without the
// module can skip them, and an end.
//
//   type id, a length of 64 bits: nine letters of six bits, then the encoding version of ten
//   tag 1 or 2, length (a number)   3, float   4, double   5, string   ...   0, the end
namespace bloomery::rdb {

struct ModuleType {
  std::string name;
  std::uint32_t encoding_version = 0;
};
ModuleType module_type(std::uint64_t id);
std::uint64_t module_type_id(const ModuleType& type) noexcept;

// Skips what follows the type id, the end included.
void skip_module_values(RdbCursor& cursor);

// Reads the values.
class ModuleReader final : public redisbloom::ValueReader {
 public:
  explicit ModuleReader(RdbCursor& cursor) : cursor_(cursor) {}

  std::uint64_t number(const char* field) override;
  double real(const char* field) override;
  std::uint64_t string(const char* field) override;
  void copy(std::span<std::byte> to) override;
  std::string place() const override;

  // Throws FormatError unless the values end here.
  void expect_end();

 private:
  RdbCursor& cursor_;
  PackedString string_{};
};

// Writes the values; what it holds back, end() gives.
class ModuleWriter final : public redisbloom::ValueWriter {
 public:
  explicit ModuleWriter(ByteSink sink) : sink_(std::move(sink)) {}

  void type(const ModuleType& type);
  void number(std::uint64_t value) override;
  void real(double value) override;
  void string(std::span<const std::byte> bytes) override;
  void end();

 private:
  void put(std::uint8_t byte) { held_.push_back(std::byte{byte}); }
  void put_length(std::uint64_t value);
  void flush();

  ByteSink sink_;
  std::vector<std::byte> held_;
};

}  // namespace bloomery::rdb
