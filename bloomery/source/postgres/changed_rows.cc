// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/postgres/changed_rows.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "bloomery/errors.h"
#include "bloomery/place/fence_source.h"
#include "bloomery/source/key_encoding.h"
#include "bloomery/source/normalise.h"

namespace bloomery::postgres {
namespace {

constexpr std::size_t kMostKeys = 16'384;  // handed over at once
constexpr std::size_t kMostKeyBytes = 1 << 20;
constexpr std::size_t kMostOpen = 1 << 18;  // transactions: a server has fewer connections

}  // namespace

ChangedRows::ChangedRows(std::string name, const PublicationPlan& plan, const KeyReading& reading,
                         bool tells_touched)
    : name_(std::move(name)),
      plan_(plan),
      reading_(reading),
      table_oid_(static_cast<std::uint32_t>(std::stoul(plan.table.oid))),
      tells_touched_(tells_touched) {}

std::uint64_t ChangedRows::take(std::string_view message) {
  reader_.read(message, message_);
  switch (message_.kind) {
    case PgoutputMessage::Kind::begin:
      whole_ = message_.whole;
      has_rows_ = false;
      [[fallthrough]];
    case PgoutputMessage::Kind::stream_start:
      open_.insert(message_.transaction);
      if (open_.size() > kMostOpen) {
        throw FormatError(name_ + ": more transactions are open than a server can have");
      }
      break;
    case PgoutputMessage::Kind::abort:
      if (message_.transaction != 0) open_.erase(message_.transaction);
      break;
    case PgoutputMessage::Kind::commit:
      open_.erase(message_.transaction);
      if (message_.transaction != 0) {
        ended_.push_back(message_.transaction);
      } else if (has_rows_) {
        ended_.push_back(whole_);
      }
      return message_.end_lsn;
    case PgoutputMessage::Kind::relation:
      take_relation();
      break;
    case PgoutputMessage::Kind::truncate:
      if (std::ranges::find(message_.truncated, table_oid_) != message_.truncated.end()) {
        throw SourceChanged(name_ + ": the table was truncated");
      }
      break;
    case PgoutputMessage::Kind::insert:
      if (message_.relation == table_oid_) take_insert();
      break;
    case PgoutputMessage::Kind::update:
      if (message_.relation == table_oid_) take_update();
      break;
    case PgoutputMessage::Kind::erase:
      if (message_.relation == table_oid_) take_erase();
      break;
    default:
      break;
  }
  return 0;
}

// Comes before the first row, and after every change of the table. Only a column behind all others
// may be new: where two have exchanged their names, keys would be taken from the wrong one.
void ChangedRows::take_relation() {
  if (message_.relation != table_oid_) return;
  const auto& columns = message_.columns;
  const auto& expected = plan_.sent_columns;
  const bool is_same =
      columns.size() >= expected.size() &&
      std::equal(expected.begin(), expected.end(), columns.begin(),
                 [](const auto& a, const auto& b) { return a.name == b.name && a.type == b.type; });
  if (!is_same) throw SourceChanged(name_ + ": the table's columns are no longer what they were");
  // The description is the table's. Rows of partitions tell their old values by the partition's own
  // replica identity, which may be another, or may have been when the rows were written.
  key_is_identity_ = plan_.table.kind == 'r' && columns[plan_.key_index].is_identity;
  knows_relation_ = true;
}

void ChangedRows::take_insert() {
  const PgoutputValue& key = key_of(message_.row);
  if (key.kind == PgoutputValue::Kind::text) add_key(key.text, keys_);
}

void ChangedRows::take_update() {
  const PgoutputValue& now = key_of(message_.row);
  // Without a word of how it was, nothing of the row's replica identity has changed.
  const bool is_same = !message_.has_old_row && key_is_identity_;
  touch(is_same ? now : message_.has_old_row ? key_of(message_.old_row) : PgoutputValue{});
  if (is_same) return;
  if (now.kind == PgoutputValue::Kind::unchanged) return;
  const bool has_new = now.kind == PgoutputValue::Kind::text;
  if (message_.has_old_row) {
    const PgoutputValue& before = key_of(message_.old_row);
    if (before.kind == PgoutputValue::Kind::text) {
      if (has_new && before.text == now.text) return;
      ++deleted_count_;
    }
  }
  if (has_new) add_key(now.text, keys_);
}

void ChangedRows::take_erase() {
  const PgoutputValue& was = key_of(message_.old_row);
  if (was.kind != PgoutputValue::Kind::null || !key_is_identity_) ++deleted_count_;
  touch(was);
}

// Takes a row's old key. The server tells nothing of a column outside of the replica identity,
// which looks like NULL, and nothing of a long text that is stored elsewhere and has not changed.
void ChangedRows::touch(const PgoutputValue& was) {
  if (!tells_touched_) return;
  if (was.kind == PgoutputValue::Kind::text) {
    add_key(was.text, touched_);
  } else if (!key_is_identity_ || was.kind == PgoutputValue::Kind::unchanged) {
    ++untold_count_;
  }
}

const PgoutputValue& ChangedRows::key_of(const PgoutputRow& row) const {
  if (!knows_relation_) throw FormatError(name_ + ": rows of a table that was not described");
  if (row.size() <= plan_.key_index) throw FormatError(name_ + ": a row without its key's column");
  return row[plan_.key_index];
}

void ChangedRows::add_key(std::string_view text, PackedKeys& to) {
  if (reading_.is_bytea) {
    read_bytea(text, bytea_);
    text = bytea_;
  }
  has_rows_ = true;
  const auto [encoding, normalise] = reading_.form;
  const std::size_t byte_limit =
      decoded_byte_limit(encoding, normalised_byte_limit(normalise, text.size()));
  try {
    to.keep(decode_key(encoding, normalised(normalise, text, normalised_), to.room(byte_limit)));
  } catch (const std::invalid_argument& wrong) {
    throw std::invalid_argument(name_ + ": a row that came: " + wrong.what());
  }
}

bool ChangedRows::is_full() const noexcept {
  return key_count() >= kMostKeys || keys_.byte_count() + touched_.byte_count() >= kMostKeyBytes;
}

Changes ChangedRows::changes() {
  return {.keys = keys_.keys(),
          .deleted_count = deleted_count_,
          .touched = touched_.keys(),
          .untold_count = untold_count_,
          .ended = ended_,
          .has_open = has_open()};
}

void ChangedRows::clear() {
  keys_.clear();
  deleted_count_ = 0;
  touched_.clear();
  untold_count_ = 0;
  ended_.clear();
}

}  // namespace bloomery::postgres
