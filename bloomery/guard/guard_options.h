#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace bloomery {

struct GuardOptions {
  // How long a row stays in the cache, and how long "no such row" does.
  std::chrono::milliseconds value_ttl = std::chrono::minutes(10);
  std::chrono::milliseconds negative_ttl = std::chrono::seconds(60);
  // Every expiry is drawn from ttl * (1 ± this), so that what was loaded together does not expire
  // together.
  double ttl_jitter = 0.1;

  // Database queries at a time that nothing shields: the filter said `unknown`, or the cache
  // failed. Who waits longer than unguarded_wait for his turn gets GuardOverloaded.
  std::size_t unguarded_queries = 16;
  std::chrono::milliseconds unguarded_wait = std::chrono::milliseconds(200);

  // For the jitter; drawn from the system where it is not set.
  std::optional<std::uint64_t> jitter_seed = std::nullopt;
};

// The options, if they make sense. Throws std::invalid_argument, naming the field and what is
// allowed: each ttl from 1 ms to ten years, ttl_jitter in [0, 1), at least one unguarded query, a
// wait of at most an hour.
const GuardOptions& validated(const GuardOptions& options);

}  // namespace bloomery
