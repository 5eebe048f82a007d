// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/source/change_source.h"
#include "bloomery/source/packed_keys.h"
#include "bloomery/source/postgres/copy_keys.h"
#include "bloomery/source/postgres/pgoutput.h"
#include "bloomery/source/postgres/publication.h"

namespace bloomery::postgres {

// The changes of one table's rows that a slot's messages told, until they are handed over.
class ChangedRows {
 public:
  // `name`: of the table, for what is thrown.
  ChangedRows(std::string name, const PublicationPlan& plan, const KeyReading& reading,
              bool tells_touched);

  // The position up to which all has come, where this message ends a transaction, or 0. Throws
  // SourceChanged where the table is no longer what was planned, FormatError where the message
  // cannot be, std::invalid_argument where a value is no key.
  std::uint64_t take(std::string_view message);

  // One more, as the server prints it.
  void add_key(std::string_view text) { add_key(text, keys_); }

  // Returns the changes, valid until the next call; the watermark is the caller's matter.
  Changes changes();
  std::size_t key_count() const noexcept { return keys_.size() + touched_.size(); }
  bool is_empty() const noexcept {
    return keys_.empty() && touched_.empty() && deleted_count_ == 0 && untold_count_ == 0;
  }
  // Returns whether it is time to hand over.
  bool is_full() const noexcept;
  // Rows of a transaction have come whose end has not.
  bool has_open() const noexcept { return !open_.empty(); }
  // Forgets the changes that changes() gave, after they were handed over.
  void clear();

 private:
  void take_relation();
  void take_insert();
  void take_update();
  void take_erase();
  const PgoutputValue& key_of(const PgoutputRow& row) const;
  void touch(const PgoutputValue& was);
  void add_key(std::string_view text, PackedKeys& to);

  std::string name_;
  PublicationPlan plan_;
  KeyReading reading_;
  std::uint32_t table_oid_;
  bool knows_relation_ = false;
  std::set<std::uint32_t> open_{};  // transactions
  std::uint32_t whole_ = 0;         // the one that is sent whole
  bool has_rows_ = false;           // of it
  std::vector<std::uint64_t> ended_{};
  bool key_is_identity_ = false;  // and so each change of it is told
  PgoutputReader reader_;
  PgoutputMessage message_;

  const bool tells_touched_;
  PackedKeys keys_;
  std::uint64_t deleted_count_ = 0;
  PackedKeys touched_;
  std::uint64_t untold_count_ = 0;
  std::string bytea_;
  std::string normalised_;
};

}  // namespace bloomery::postgres
