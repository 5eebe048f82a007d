// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "bloomery/filter/blocked_shape.h"
#include "bloomery/filter/bulk/bulk_options.h"
#include "bloomery/filter/bulk/bulk_round.h"

namespace bloomery {

// How keys are to be inserted in bulk: in rounds of `parts` times `part_keys`.
struct BulkPlan {
  std::size_t parts = 1;
  std::size_t part_keys = 0;

  std::size_t round_keys() const noexcept { return parts * part_keys; }
};

// A filter below this size is inserted into faster by insert_many, however many threads there are:
// it fits the processor's cache.
inline constexpr std::uint64_t kBulkFilterBytes = std::uint64_t{4} << 20;
// kBulkBytesOfThreads: the size from which several threads are faster than insert_many is this,
// divided by the number of threads, but at least kBulkFilterBytes: starting threads, and new
// memory, costs time. Two lines a key are worth it from four times this size on, divided likewise.
// For one thread, which never takes two lines a key, see RegionOps.
inline constexpr std::uint64_t kBulkBytesOfThreads = std::uint64_t{24} << 20;

// Plans a bulk build; nothing where sorting would not pay: the filter is small, or the keys of a
// round (`key_count` at most) are so few that going through the whole filter for them costs more
// than a random line each.
std::optional<BulkPlan> plan_bulk(const BlockedShape& shape, const RegionOps& ops,
                                  const BulkOptions& options, std::uint64_t key_count) noexcept;

// The plan's memory, or nothing where the machine does not give it.
std::optional<BulkRound> make_round(const BlockedShape& shape, const RegionOps& ops,
                                    const BulkPlan& plan) noexcept;

}  // namespace bloomery
