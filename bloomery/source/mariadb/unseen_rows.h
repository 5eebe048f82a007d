// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string_view>

#include "bloomery/source/mariadb/binlog_reader.h"

namespace bloomery::mariadb {

// The keys that stand last before a place in a binary log: of all commits that nobody may see yet.
// A commit is in the log before it is seen, and waits there for a replica, perhaps. The server logs
// commits in groups, one after the other: one is written, one waits, one is committed in the
// tables, and one is about to be. So these are in the last four groups.
class UnseenRows {
 public:
  // The log is read from the beginning of a file; the place is in that one or in a later one.
  UnseenRows(Table table, const KeyForm& form, const LogFile& begin, const LogFile& file,
             std::uint64_t offset);

  // Sets a position once the place is reached, and all keys are in `changes`.
  void read(std::string_view packet, LoggedChanges& changes);

 private:
  void begin_group(std::uint64_t group);

  BinlogReader reader_;
  EventReader events_;
  std::uint64_t file_;
  const std::uint64_t last_file_;
  const std::uint64_t last_offset_;
  std::deque<LoggedChanges> groups_{1};
  std::uint64_t group_ = 0;  // the number of the last one, where it has one
};

}  // namespace bloomery::mariadb
