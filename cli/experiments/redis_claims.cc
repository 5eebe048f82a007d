// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "bloomery/errors.h"
#include "bloomery/format/bloom_filter_helper.h"
#include "cli/experiments/figure.h"
#include "cli/experiments/key_ranges.h"
#include "cli/experiments/private_redis.h"

namespace bloomery::cli {
namespace {

constexpr std::uint64_t kInOneTrip = 1000;

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
    for (std::uint64_t end = std::min(keys, i + kInOneTrip); i < end; ++i) {
      request.add({"SADD", "set", user(i)});
    }
    server.run(request);
  }
  server.call({"SET", "bitmap", bitmap_of(keys, user)});
  const std::uint64_t set = bytes_of(server, "set");
  const std::uint64_t bitmap = bytes_of(server, "bitmap");
  const double saved = 1 - static_cast<double>(bitmap) / static_cast<double>(set);
  return {.post = kRepeatedClaims,
          .what = "memory of a filter at 1 % beside a set of Redis with the same keys",
          .theirs = "97.5 % less, at 100,000",
          .ours = fmt::format("{:.1f} % less: {} bytes beside {}, of {} keys such as {}",
                              100 * saved, bitmap, set, keys, user(keys - 1)),
          .verdict = Verdict::plausible,
          .remark =
              "It depends on the keys: the set holds them, the filter does not. Nor can it list, "
              "count or remove them.",
          .numbers = {
              {"key_count", keys}, {"set_bytes", set}, {"bitmap_bytes", bitmap}, {"saved", saved}}};
}

template <class Act>
double seconds_of(Act act) {
  const auto start = std::chrono::steady_clock::now();
  act();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

Figure bits_one_by_one(PrivateRedis& server, std::uint64_t bits) {
  const auto offset = [](std::uint64_t i) { return std::to_string(i * 7919 % 1'000'003); };
  const double alone = seconds_of([&] {
    for (std::uint64_t i = 0; i < bits; ++i) server.call({"SETBIT", "alone", offset(i), "1"});
  });
  const double together = seconds_of([&] {
    for (std::uint64_t i = 0; i < bits;) {
      redis::Request request;
      for (std::uint64_t end = std::min(bits, i + kInOneTrip); i < end; ++i) {
        request.add({"SETBIT", "together", offset(i), "1"});
      }
      server.run(request);
    }
  });
  const std::string whole = server.call({"GET", "alone"}).text;
  const double at_once = seconds_of([&] { server.call({"SET", "whole", whole}); });
  if (server.call({"GET", "together"}).text != whole) {
    throw StoreError("bits that were set in two ways differ");
  }
  return {.post = kRepeatedClaims,
          .what = "setting as many bits in Redis, in three ways",
          .theirs = "100,000 SETBIT, a trip each: 40 s",
          .ours = fmt::format(
              "{} SETBIT, a trip each: {:.2f} s\n{} in a trip: {:.3f} s\none SET of all: "
              "{:.4f} s",
              bits, alone, kInOneTrip, together, at_once),
          .verdict = Verdict::plausible,
          .remark =
              "Over a socket of this machine; 40 s are 0.4 ms a trip, as over a network. What is "
              "loaded in bulk is built here and sent as it is (bloomery load).",
          .numbers = {{"bit_count", bits},
                      {"a_trip_each_seconds", alone},
                      {"pipelined_seconds", together},
                      {"one_set_seconds", at_once}}};
}

}  // namespace

std::vector<Figure> figures_with_redis(std::uint64_t key_count) {
  std::optional<PrivateRedis> server;
  try {
    server.emplace();
  } catch (const StoreError& error) {
    return {{.post = kRepeatedClaims,
             .what = "a filter beside a set of Redis; 100,000 SETBIT beside one SET",
             .theirs = "97.5 % less memory; 40 s",
             .ours = "not run: no Redis could be started",
             .verdict = Verdict::not_run,
             .remark = std::string(error.what()) +
                       "; install redis-server, or name one in REDIS_SERVER"}};
  }
  return {set_beside_filter(*server, key_count), bits_one_by_one(*server, key_count)};
}

}  // namespace bloomery::cli
