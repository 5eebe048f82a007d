// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string>

#include "bloomery/filter/blocked_filter.h"
#include "bloomery/place/memory_place.h"
#include "cli/demo/database_table.h"
#include "cli/demo/row_lookup.h"

namespace bloomery::cli {

// One part of the scene, and what reached the database in it.
struct LivePart {
  std::uint64_t absent_count = 0;    // requests for keys that do not exist, no two the same
  std::uint64_t absent_queries = 0;  // of those, how many asked the database
  double share() const {
    return absent_count == 0
               ? 0
               : static_cast<double>(absent_queries) / static_cast<double>(absent_count);
  }
};

// Rows come while others ask, and the filter is taken away and brought back.
struct LiveScene {
  std::uint64_t inserted_count = 0;
  std::uint64_t asked_count = 0;   // requests for rows, those just inserted among them
  std::uint64_t denied_count = 0;  // of those, not found. Must be 0
  LivePart before, away, after;
  std::chrono::duration<double> rebuild_time{};
};

// Writes rows into the table, so it must not be a user's. Each is announced to the guard, and asked
// for as soon as it is committed. In the middle the place says `unknown`, while another filter for
// it is made of the table. `real_keys` are in the table, and the place is ready.
LiveScene run_live_scene(MemoryPlace<BlockedFilter>& place, const DatabaseTable& table,
                         KeyTypes types, std::span<const std::string> real_keys,
                         const FilterParameters& parameters);

}  // namespace bloomery::cli
