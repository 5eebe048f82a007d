// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

// Types of values that modules store, by the nine letters that a dump has of each: those of our own
// module, also of one that is loaded under a prefix, and those that are met beside them.
namespace bloomery::rdb {

enum class Holds : std::uint8_t {
  chain,      // a Bloom filter of RedisBloom's kind
  cuckoo,     // a cuckoo filter of RedisBloom's kind
  native,     // a filter as our own files have it
  part,       // of a filter, of which the rest has not come: never to be taken for a filter
  unfamiliar  // another module's: a server without that module does not load the dump
};

struct ValueKind {
  Holds holds = Holds::unfamiliar;
  std::string_view text{};  // "count-min sketch of RedisBloom's"
};

ValueKind kind_of_value(std::string_view type_name) noexcept;

}  // namespace bloomery::rdb
