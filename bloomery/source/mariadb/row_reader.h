// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "bloomery/source/mariadb/binlog_event.h"
#include "bloomery/source/mariadb/column.h"
#include "bloomery/source/mariadb/key_writer.h"
#include "bloomery/source/mariadb/logged_changes.h"
#include "bloomery/source/mariadb/logged_key.h"
#include "bloomery/source/mariadb/row_layout.h"

namespace bloomery::mariadb {

// Turns a transaction's rows, as a binary log has them, into keys of one column. Whatever may have
// changed rows that it cannot see throws SourceChanged. One thread at a time.
class RowReader {
 public:
  RowReader(Table table, const KeyForm& form, bool tells_touched);

  const Table& table() const noexcept { return table_; }
  // A transaction ended: numbers of tables mean nothing any more.
  void forget_tables() { tables_.clear(); }
  // Takes a table's description. Where rows are known already, a table that is not as it was
  // described is passed over.
  void map(std::string_view body, bool is_known);
  // Returns whether an event of rows is about the table.
  bool is_of_ours(const BinlogEvent& event) const;
  // Adds the keys of an event of rows.
  void take(const BinlogEvent& event, LoggedChanges& changes);

 private:
  struct MappedTable {
    RowLayout layout;
    bool is_ours = false;
  };

  void check_mapping(const TableMap& map) const;
  void touch(const LoggedField& was, LoggedChanges& changes);
  void add_key(std::string_view logged, PackedKeys& to);

  const Table table_;
  LoggedKey logged_key_;
  KeyWriter writer_;
  const bool tells_touched_;
  std::unordered_map<std::uint64_t, MappedTable> tables_;  // of the transaction at hand
  std::string room_;
};

}  // namespace bloomery::mariadb
