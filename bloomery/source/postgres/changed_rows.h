#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bloomery/hash/key.h"
#include "bloomery/source/postgres/copy_keys.h"
#include "bloomery/source/postgres/pgoutput.h"
#include "bloomery/source/postgres/publication.h"

namespace bloomery::postgres {

// What the messages of a slot say of the rows of one table, until it is handed over.
class ChangedRows {
 public:
  // `name`: of the table, for what is thrown.
  ChangedRows(std::string name, const PublicationPlan& plan, const KeyReading& reading);

  // The position up to which all has come, where this message ends a transaction, or 0. Throws
  // SourceChanged where the table is no longer what was planned, FormatError where the message
  // cannot be, std::invalid_argument where a value is no key.
  std::uint64_t take(std::string_view message);

  // One more, as the server prints it.
  void add_key(std::string_view text);

  // Until the next call.
  std::span<const Key> keys();
  std::size_t key_count() const noexcept { return key_places_.size(); }
  std::uint64_t deleted_count() const noexcept { return deleted_count_; }
  bool is_empty() const noexcept { return key_places_.empty() && deleted_count_ == 0; }
  // It is time to hand over.
  bool is_full() const noexcept;
  // Rows of a transaction have come whose end has not.
  bool has_open() const noexcept { return !open_.empty(); }
  // They were handed over.
  void clear();

 private:
  void take_relation();
  void take_insert();
  void take_update();
  void take_erase();
  const PgoutputValue& key_of(const PgoutputRow& row) const;

  std::string name_;
  PublicationPlan plan_;
  KeyReading reading_;
  std::uint32_t table_oid_;
  bool knows_relation_ = false;
  std::set<std::uint32_t> open_{};  // transactions
  bool key_is_identity_ = false;    // and so each change of it is told
  PgoutputReader reader_;
  PgoutputMessage message_;

  std::string key_bytes_;
  std::vector<std::pair<std::size_t, std::size_t>> key_places_;  // in them: where, how long
  std::vector<Key> keys_;
  std::uint64_t deleted_count_ = 0;
  std::string bytea_;
  std::string normalised_;
};

}  // namespace bloomery::postgres
