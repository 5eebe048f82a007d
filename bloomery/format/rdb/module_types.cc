// SPDX-License-Identifier: Apache-2.0
#include "bloomery/format/rdb/module_types.h"

#include <algorithm>

#include "bloomery/format/redisbloom/redisbloom_cuckoo_rdb.h"
#include "bloomery/format/redisbloom/redisbloom_rdb.h"

namespace bloomery::rdb {
namespace {

struct NamedKind {
  std::string_view name;
  ValueKind kind;
};

constexpr std::string_view kOwnFilter = "filter of bloomery.so's own";
constexpr std::string_view kOnItsWay =
    "filter on its way by BLOOM.LOAD, of which parts are missing";
constexpr std::string_view kHalfBloom =
    "Bloom filter on its way by BF.LOADCHUNK, of which parts are missing";
constexpr std::string_view kHalfCuckoo =
    "cuckoo filter on its way by CF.LOADCHUNK, of which parts are missing";
constexpr std::string_view kLost =
    "filter that bloomery.so could not load, of which nothing is left";

// A letter in lower case at the end is our module's under a prefix.
constexpr NamedKind kNamedKinds[] = {
    {redisbloom::kTypeName, {Holds::chain, "Bloom filter of RedisBloom's"}},
    {"bloomeryb", {Holds::chain, "Bloom filter of RedisBloom's kind"}},
    {redisbloom::kCuckooTypeName, {Holds::cuckoo, "cuckoo filter of RedisBloom's"}},
    {"bloomeryc", {Holds::cuckoo, "cuckoo filter of RedisBloom's kind"}},
    {"bloomeryF", {Holds::native, kOwnFilter}},
    {"bloomeryf", {Holds::native, kOwnFilter}},
    {"bloomeryU", {Holds::part, kOnItsWay}},
    {"bloomeryu", {Holds::part, kOnItsWay}},
    {"bloomeryH", {Holds::part, kHalfBloom}},
    {"bloomeryh", {Holds::part, kHalfBloom}},
    {"bloomeryK", {Holds::part, kHalfCuckoo}},
    {"bloomeryk", {Holds::part, kHalfCuckoo}},
    {"bloomeryX", {Holds::part, kLost}},
    {"bloomeryx", {Holds::part, kLost}},
    {"bloomfltr", {Holds::unfamiliar, "Bloom filter of valkey-bloom's"}},
    {"CMSk-TYPE", {Holds::unfamiliar, "count-min sketch of RedisBloom's"}},
    {"TopK-TYPE", {Holds::unfamiliar, "top-k of RedisBloom's"}},
    {"TDIS-TYPE", {Holds::unfamiliar, "t-digest of RedisBloom's"}},
    {"ReJSON-RL", {Holds::unfamiliar, "document of RedisJSON's"}},
    {"TSDB-TYPE", {Holds::unfamiliar, "time series of RedisTimeSeries's"}},
};

}  // namespace

ValueKind kind_of_value(std::string_view type_name) noexcept {
  const auto* const found = std::ranges::find(kNamedKinds, type_name, &NamedKind::name);
  if (found != std::end(kNamedKinds)) return found->kind;
  return {Holds::unfamiliar, "value of another module's"};
}

}  // namespace bloomery::rdb
