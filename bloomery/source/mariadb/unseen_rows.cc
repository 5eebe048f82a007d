// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/mariadb/unseen_rows.h"

#include <utility>

namespace bloomery::mariadb {
namespace {

constexpr std::size_t kMostGroups = 4;
// The most bytes that are kept for a group. Keys of a larger group are handed over although
// everybody may see them already.
constexpr std::size_t kMostBytes = std::size_t{4} << 20;

}  // namespace

UnseenRows::UnseenRows(Table table, const KeyForm& form, const LogFile& begin, const LogFile& file,
                       std::uint64_t offset)
    : reader_(BinlogReader::before(std::move(table), form, begin)),
      file_(begin.number),
      last_file_(file.number),
      last_offset_(offset) {}

void UnseenRows::read(std::string_view packet, LoggedChanges& changes) {
  const BinlogEvent event = events_.read(packet);
  if (event.type == EventType::gtid) begin_group(read_gtid(event.body).group);
  LoggedChanges& last = groups_.back();
  reader_.read(packet, last);
  if (last.byte_count() > kMostBytes) changes.append(last);
  if (event.type == EventType::rotate && !event.is_made_up) ++file_;
  const bool is_all = event.type == EventType::heartbeat || file_ > last_file_ ||
                      (file_ == last_file_ && !event.is_made_up && event.end >= last_offset_);
  if (!is_all) return;
  for (LoggedChanges& each : groups_) changes.append(each);
  changes.position = 0;
}

void UnseenRows::begin_group(std::uint64_t group) {
  if (group == std::exchange(group_, group) && group != 0) return;
  groups_.emplace_back();
  if (groups_.size() > kMostGroups) groups_.pop_front();
}

}  // namespace bloomery::mariadb
