// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include "bloomery/place/call_context.h"
#include "bloomery/place/watermark.h"

namespace bloomery {

// How rows come to the filter, and so what "no such row" is.
enum class GuardMode : std::uint8_t {
  announced,  // all by tokens of guards (will_insert): what the filter does not have is none
  strict,     // also past every guard; a follower brings them. None that the database had when the
              // question began
  budget,     // the same, of `budget` before the question began
};

struct GuardOptions {
  GuardMode mode = GuardMode::announced;
  // How far the database is now, at a moment after the call (CoalescedFence::ask). Not announced
  // rows need it, and by it the audit judges them.
  std::function<Fence(const CallContext&)> fence{};
  std::chrono::milliseconds budget = std::chrono::seconds(2);
  // How long a question waits for the filter's watermark to come to the fence.
  std::chrono::milliseconds fence_wait = std::chrono::milliseconds(20);

  // How long a row stays in the cache, and how long "no such row" does.
  std::chrono::milliseconds value_ttl = std::chrono::minutes(10);
  std::chrono::milliseconds negative_ttl = std::chrono::seconds(60);
  // Every expiry is drawn from ttl * (1 ± this), so that what was loaded together does not expire
  // together.
  double ttl_jitter = 0.1;
  // In this last share of a value's life one caller loads it anew, and has the old one meanwhile,
  // as all others do (of a cache that grants leases). 0: never.
  double refresh_ahead = 0;

  // Database queries at a time, whatever they are asked for. Who waits longer than query_wait for
  // his turn gets GuardOverloaded.
  std::size_t queries_at_once = 32;
  std::chrono::milliseconds query_wait = std::chrono::milliseconds(200);
  // `wait_limit`: a caller who waits longer for a row that another process loads gets WaitedTooLong
  // (of a cache that grants leases).
  std::chrono::milliseconds wait_limit = std::chrono::seconds(10);

  // A filter or cache that throws so often in a row is left alone for a while; then one call tries.
  std::size_t failures_in_a_row = 5;
  std::chrono::milliseconds failure_pause = std::chrono::seconds(1);

  // The loader reads a replica, which may be behind: its "no such row" is not cached.
  bool reads_replica = false;

  // One absent in so many is asked of the database (0: none).
  std::uint64_t audit_every = 10'000;

  // Seed of the jitter; drawn from the system where it is not set.
  std::optional<std::uint64_t> jitter_seed = std::nullopt;
};

// The options, if they make sense. Throws std::invalid_argument, naming the field and what is
// allowed: each ttl from 1 ms to ten years, ttl_jitter and refresh_ahead in [0, 1), at least one
// query and one failure, a wait or pause of at most an hour, a budget from 1 ms to an hour; a
// fence, and no replica, for rows that are not announced.
const GuardOptions& validated(const GuardOptions& options);

}  // namespace bloomery
