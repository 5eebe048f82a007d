// SPDX-License-Identifier: Apache-2.0
#include "bloomery/filter/bulk/bulk_plan.h"

#include <algorithm>
#include <exception>
#include <thread>

#include "bloomery/bits/memory_limit.h"

namespace bloomery {
namespace {

// Keys of a round for each line that it goes through.
constexpr std::uint64_t kFewestKeysPerLine = 2;

std::uint64_t byte_count(const BlockedShape& shape) noexcept {
  return shape.lines * kLineBytes * (shape.two_lines() ? 2 : 1);
}

std::uint64_t scratch_limit(const BlockedShape& shape, const BulkOptions& options) noexcept {
  if (options.scratch_byte_count != 0) return options.scratch_byte_count;
  const std::uint64_t filter = byte_count(shape);
  const std::uint64_t left = memory_limit() - std::min(memory_limit(), filter);
  return std::min(filter, left) / 2;
}

// Returns whether so many threads are faster than insert_many.
bool is_worth(const BlockedShape& shape, const RegionOps& ops, std::uint64_t threads) noexcept {
  // Bringing the two lines of keys together costs one thread what it saves in the first lines.
  if (threads == 1) return !shape.two_lines() && byte_count(shape) >= ops.bulk_bytes_of_one_thread;
  const std::uint64_t together = shape.two_lines() ? 4 * kBulkBytesOfThreads : kBulkBytesOfThreads;
  return byte_count(shape) >= std::max(kBulkFilterBytes, together / threads);
}

}  // namespace

std::optional<BulkPlan> plan_bulk(const BlockedShape& shape, const RegionOps& ops,
                                  const BulkOptions& options, std::uint64_t key_count) noexcept {
  const std::uint64_t wanted = std::max<std::uint64_t>(
      1, options.threads == 0 ? std::thread::hardware_concurrency() : options.threads);
  const std::uint64_t scratch = scratch_limit(shape, options);
  // A thread without a region of its own would have nothing to do; and each costs some scratch of
  // its own, so that there may be too little for all.
  std::uint64_t parts = std::min<std::uint64_t>(wanted, HalfRegions::of(shape, 0).count());
  for (; parts != 0 && is_worth(shape, ops, parts); parts -= parts / 8 + 1) {
    const std::uint64_t share = key_count / parts + (key_count % parts != 0 ? 1 : 0);
    const std::uint64_t room = BulkRound::part_keys_within(scratch, shape, parts);
    const BulkPlan plan{parts, std::min(share, room)};
    if (plan.round_keys() >= kFewestKeysPerLine * shape.lines) return plan;
  }
  return std::nullopt;
}

std::optional<BulkRound> make_round(const BlockedShape& shape, const RegionOps& ops,
                                    const BulkPlan& plan) noexcept {
  try {
    require_memory(BulkRound::byte_count(shape, plan.parts, plan.part_keys), 1);
    return BulkRound(shape, ops, plan.parts, plan.part_keys);
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

}  // namespace bloomery
