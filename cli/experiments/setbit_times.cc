// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "bloomery/errors.h"
#include "bloomery/format/php.h"
#include "cli/experiments/figure.h"
#include "cli/experiments/private_redis.h"

namespace bloomery::cli {
namespace {

constexpr const char* kThreeSetbits =
    "loading records into Redis, three SETBITs a record: as the class does it, in two other ways";
constexpr const char* kTheirTime =
    "100,000 records by SETBIT: about 40 s on a development machine; then one SET of the string";
constexpr std::uint64_t kBits = std::uint64_t{1024} * 8192;
constexpr std::uint64_t kSetbitsInOneTrip = 999;

// The offsets that the class sets for some records, three a record.
std::vector<std::string> offsets_of(std::uint64_t records) {
  std::vector<std::string> offsets;
  for (std::uint64_t i = 0; i < records; ++i) {
    const std::string key = "record:" + std::to_string(i);
    for (const std::uint64_t hash : {php::bkdr_hash(key), php::js_hash(key), php::sdbm_hash(key)}) {
      offsets.push_back(std::to_string(hash % kBits));
    }
  }
  return offsets;
}

template <class Act>
double seconds_of(Act act) {
  const auto start = std::chrono::steady_clock::now();
  act();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

Figure measure_setbits(PrivateRedis& server, std::uint64_t records) {
  const std::vector<std::string> offsets = offsets_of(records);
  const double alone = seconds_of([&] {
    for (const std::string& offset : offsets) server.call({"SETBIT", "alone", offset, "1"});
  });
  const double together = seconds_of([&] {
    for (std::size_t i = 0; i < offsets.size();) {
      redis::Request request;
      for (const std::size_t end = std::min(offsets.size(), i + kSetbitsInOneTrip); i < end; ++i) {
        request.add({"SETBIT", "together", offsets[i], "1"});
      }
      server.run(request);
    }
  });
  const std::string whole = server.call({"GET", "alone"}).text;
  const double at_once = seconds_of([&] { server.call({"SET", "whole", whole}); });
  if (server.call({"GET", "together"}).text != whole) {
    throw StoreError("bits that were set in two ways differ");
  }
  return {.post = "php",
          .what = kThreeSetbits,
          .theirs = kTheirTime,
          .ours = fmt::format("{} records, a trip a SETBIT: {:.2f} s; so 100,000 take {:.1f} s\n"
                              "{} SETBITs in a trip: {:.3f} s\none SET of all: {:.4f} s",
                              records, alone, alone * 1e5 / static_cast<double>(records),
                              kSetbitsInOneTrip, together, at_once),
          .verdict = Verdict::plausible,
          .remark =
              "From C++ over a socket of this machine. Each SETBIT waits for its answer; what is "
              "loaded in bulk is built here and sent as it is (bloomery load).",
          .numbers = {{"record_count", records},
                      {"a_trip_each_seconds", alone},
                      {"pipelined_seconds", together},
                      {"one_set_seconds", at_once}}};
}

}  // namespace

Figure setbit_times(std::uint64_t record_count) {
  return figure_with_redis(
      {.post = "php", .what = kThreeSetbits, .theirs = kTheirTime},
      [record_count](PrivateRedis& server) { return measure_setbits(server, record_count); });
}

}  // namespace bloomery::cli
