// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "bloomery/place/filter_place.h"
#include "bloomery/place/guard_counters.h"
#include "cli/demo/request_stream.h"
#include "cli/demo/row_lookup.h"

namespace bloomery::cli {

struct TrafficOptions {
  std::size_t thread_count = 2;
  std::size_t cache_capacity = 20'000;
  // `is_value_of`: whether a real key's value is the right one.
  std::function<bool(Key, const std::string&)> is_value_of;
};

struct TrafficResult {
  std::uint64_t request_count = 0;
  std::chrono::duration<double> elapsed{};
  GuardCounters counters;
  // Database queries for keys of the flood: each of them is asked for once, so every one that the
  // filter lets pass is one query.
  std::uint64_t absent_queries = 0;
  // Requests for real keys that got no answer, or another's value, though the database has the row.
  // Must be 0.
  std::uint64_t denied_count = 0;
  // Unanswered requests whose row the database does not have any more, as when somebody deletes it
  // meanwhile.
  std::uint64_t gone_count = 0;

  double requests_per_second() const;
};

// Says that everything may be there: a guard without a filter.
class NoFilter final : public FilterPlace {
 public:
  std::string name() const override { return "no filter"; }
  void ask(std::span<const Key> keys, std::span<Presence> answers, Proofs& proofs,
           const CallContext& context = {}) override;
  using FilterPlace::insert_many;
  void insert_many(std::span<const Key>, std::span<Inserted>, const CallContext&) override {}
  PlaceHead head(const CallContext&) override { return {}; }
};

// Asks a new guard, with an empty cache and connections of its own, for all keys; each thread takes
// one part of the stream. `done` hears how many are done by now. Nothing is slowed down or made up:
// the elapsed time is that of the real cache and the real queries. Throws what a query throws, and
// std::invalid_argument if a key of the flood exists after all.
TrafficResult run_traffic(FilterPlace& filter, const DatabaseTable& table, KeyTypes types,
                          std::span<const Request> requests, const TrafficOptions& options,
                          const std::function<void(std::uint64_t)>& done);

}  // namespace bloomery::cli
