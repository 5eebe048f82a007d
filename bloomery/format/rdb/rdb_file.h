// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bloomery/filter/any_filter.h"
#include "bloomery/filter/filter_contents.h"
#include "bloomery/format/rdb/module_types.h"
#include "bloomery/format/rdb/module_value.h"

// Dumps of Redis and Valkey in files (.rdb), of any version: finds what modules have stored in
// them, without a server. Only the bytes of such values are looked at; all others are passed over.
//
//   "REDIS" version, four digits; or "VALKEY" version, three
//   entries: a type byte, for a key and its value   type, key, value
//            or one of 243 to 254, for anything else
//   255   checksum 8B (from version 5; 0: none) of all before it
namespace bloomery::rdb {

// A key with the value of a module.
struct ModuleKey {
  std::uint64_t database = 0;
  std::string key;
  ModuleType type;
  std::optional<std::uint64_t> expires_at_ms{};
  std::size_t offset = 0;  // of the module's values, behind its type
  std::size_t byte_count = 0;
};

struct RdbFile {
  std::uint32_t version = 0;
  bool is_valkey = false;             // by its magic, as Valkey writes it from version 9 on
  bool is_written_by_valkey = false;  // before that its notes alone say so
  bool has_checksum = false;          // and it was right
  std::uint64_t key_count = 0;
  std::vector<ModuleKey> modules{};
};

// Reads the whole dump; memory is for the keys of modules alone. Throws FormatError, naming offset
// and field, for one that is damaged or cut off.
RdbFile read_rdb(std::span<const std::byte> bytes);

inline Holds holds(const ModuleKey& key) noexcept {
  return kind_of_value(key.type.name).holds;
}

// Gives a cursor before the values of a key, in the dump that the key was found in: offsets are
// those of the dump.
RdbCursor cursor_at(std::span<const std::byte> bytes, const ModuleKey& key);

// The filter of a key that holds a chain, of the dump it was found in, and all of it but its
// words. Throw FormatError for one that is damaged. native_value.h has those of native filters.
AnyFilter extract(std::span<const std::byte> bytes, const ModuleKey& key);
FilterContents describe(std::span<const std::byte> bytes, const ModuleKey& key);
// Extract the cuckoo filter of a key with its slots, or describe it without them.
redisbloom::CuckooFilter extract_cuckoo(std::span<const std::byte> bytes, const ModuleKey& key);
redisbloom::CuckooShape describe_cuckoo(std::span<const std::byte> bytes, const ModuleKey& key);

}  // namespace bloomery::rdb
