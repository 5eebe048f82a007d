// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "bloomery/source/source_options.h"

namespace bloomery {

// How to follow a table. The source and the fence of one table take the same.
struct ChangeOptions {
  SourceOptions keys{};
  // `slot`: the name under which the database keeps changes for a follower that is away, so that it
  // can go on where it was. Two filters of one table want two names. Empty: SQLite names it after
  // table and column, and a server keeps nothing.
  std::string slot{};
  // The most that an SQLite database keeps for a follower that is away. Beyond, it must scan again.
  // PostgreSQL keeps what its own max_slot_wal_keep_size allows, MariaDB its log, follower or not.
  std::uint64_t backlog_byte_limit = std::uint64_t{64} << 20;
  // Tells of rows that were changed otherwise than in their key, too, and which are gone
  // (Changes::touched): for whoever remembers rows. Costs a change kept for each UPDATE of a row.
  // It is no matter to a fence.
  bool tells_touched = false;
};

}  // namespace bloomery
