// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bloomery/bits/shared_words.h"
#include "bloomery/filter/filter_contents.h"
#include "bloomery/format/redisbloom/redisbloom_filter.h"

// The values that RedisBloom gives a server to store for a filter, of type "MBbloom--":
//
//   number size   number links   number options (from version 2)   number growth (from version 4)
//   and for each link
//   number entries   real error   number hashes   real bits per entry
//   number bits   number n2 (both from version 1; before, bits = entries * bits per entry)
//   string bits   number size
//   and last, from version 5: number version of the hash   number hash seed
//
// ValueReader and ValueWriter stand for whatever stores the values: a server that a module runs in,
// or a dump in a file.
namespace bloomery::redisbloom {

inline constexpr const char* kTypeName = "MBbloom--";
inline constexpr std::uint32_t kEncodingVersion = 4;

class ValueReader {
 public:
  virtual ~ValueReader() = default;
  // Throw what is right where they run when there is no such value.
  virtual std::uint64_t number(const char* field) = 0;
  virtual double real(const char* field) = 0;
  // Comes to a string, whose size it tells, and keeps it until copy() or the next one. The size is
  // in proportion to the bytes that came.
  virtual std::uint64_t string(const char* field) = 0;
  virtual void copy(std::span<std::byte> to) = 0;
  // Returns the reader's place for messages: "before byte 93", or nothing.
  virtual std::string place() const = 0;
};

class ValueWriter {
 public:
  virtual ~ValueWriter() = default;
  virtual void number(std::uint64_t value) = 0;
  virtual void real(double value) = 0;
  virtual void string(std::span<const std::byte> bytes) = 0;
};

// Contents, whose words stand beside them.
struct ReadChain {
  FilterContents contents;
  std::vector<SharedWords> words;
};
// Throws FormatError for what is impossible, once all of it was read. Takes no memory but for links
// that came.
ReadChain read_value(ValueReader& reader, std::uint32_t encoding_version);
// All but the words, which it passes over.
FilterContents read_value_shape(ValueReader& reader, std::uint32_t encoding_version);

// Writes version 4. A link of 2^n bits says its n, as servers since 2.2.5 want it.
void write_value(const FilterContents& contents, ValueWriter& writer);

}  // namespace bloomery::redisbloom
