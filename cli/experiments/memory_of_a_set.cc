// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "bloomery/format/bloom_filter_helper.h"
#include "cli/experiments/figure.h"
#include "cli/experiments/key_ranges.h"
#include "cli/experiments/private_redis.h"

namespace bloomery::cli {
namespace {

constexpr const char* kSetBesideFilter =
    "memory of a filter at 1 % beside a set of Redis with the same keys";
constexpr const char* kTheirSaving = "more than 90 % less";
constexpr std::uint64_t kAddsInOneTrip = 1000;

std::string user(std::uint64_t i) {
  return "user:" + std::to_string(i);
}

std::uint64_t bytes_of(PrivateRedis& server, std::string_view key) {
  return static_cast<std::uint64_t>(server.call({"MEMORY", "USAGE", key, "SAMPLES", "0"}).number);
}

// The string that SETBITs of these keys would have made.
std::string bitmap_of(std::uint64_t keys, std::string (*make)(std::uint64_t)) {
  const Format& format = bloom_filter_helper::kFormat;
  AnyFilter filter = format.create({.capacity = keys, .false_positive_rate = 0.01}, {});
  insert_range(filter, 0, keys, make);
  const auto bytes = encode(format, filter.contents());
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

Figure set_beside_filter(PrivateRedis& server, std::uint64_t keys) {
  for (std::uint64_t i = 0; i < keys;) {
    redis::Request request;
    for (std::uint64_t end = std::min(keys, i + kAddsInOneTrip); i < end; ++i) {
      request.add({"SADD", "set", user(i)});
    }
    server.run(request);
  }
  server.call({"SET", "bitmap", bitmap_of(keys, user)});
  const std::uint64_t set = bytes_of(server, "set");
  const std::uint64_t bitmap = bytes_of(server, "bitmap");
  const double saved = 1 - static_cast<double>(bitmap) / static_cast<double>(set);
  return {.post = "redis",
          .what = kSetBesideFilter,
          .theirs = kTheirSaving,
          .ours = fmt::format("{:.1f} % less: {} bytes beside {}, of {} keys such as {}",
                              100 * saved, bitmap, set, keys, user(keys - 1)),
          .verdict = Verdict::right,
          .remark =
              "It depends on the keys: the set holds them, the filter does not. Nor can it list, "
              "count or remove them.",
          .numbers = {
              {"key_count", keys}, {"set_bytes", set}, {"bitmap_bytes", bitmap}, {"saved", saved}}};
}

}  // namespace

Figure memory_of_a_set(std::uint64_t key_count) {
  return figure_with_redis(
      {.post = "redis", .what = kSetBesideFilter, .theirs = kTheirSaving},
      [key_count](PrivateRedis& server) { return set_beside_filter(server, key_count); });
}

}  // namespace bloomery::cli
