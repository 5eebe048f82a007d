#include "bloomery/source/postgres/postgres_changes.h"

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "bloomery/errors.h"
#include "bloomery/source/key_encoding.h"
#include "bloomery/source/normalise.h"
#include "bloomery/source/postgres/postgres_source.h"
#include "bloomery/source/printable.h"
#include "bloomery/text/hex_word.h"

namespace bloomery {
namespace {

using postgres::Connection;
using postgres::PgoutputMessage;
using postgres::PgoutputValue;
using postgres::ReplicationMessage;
using postgres::Result;
using Clock = CallContext::Clock;

constexpr std::size_t kMostKeys = 16'384;  // handed over at once
constexpr std::size_t kManyKeys = 100;
constexpr std::chrono::microseconds kPause{300};
constexpr std::size_t kMostKeyBytes = 1 << 20;
constexpr std::size_t kMostOpen = 1 << 18;  // transactions: a server has fewer connections
constexpr std::chrono::milliseconds kCheckEvery{200};
// How long the server may take to notice that a predecessor is gone.
constexpr std::chrono::seconds kSlotPatience{10};
// A filter that is kept is confirmed again soon.
constexpr std::chrono::seconds kConfirmTime{10};
// The server allows 63 characters, of which the publication's name takes 25 and a _.
constexpr std::size_t kLongestSlot = 37;

void check_slot_name(const ServerLocation& location, const std::string& slot) {
  const bool is_one = slot.size() <= kLongestSlot && std::ranges::all_of(slot, [](char c) {
                        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
                      });
  if (is_one) return;
  throw std::invalid_argument(location.name() + ": " + printable(slot) +
                              " is no name of a slot; allowed: up to " +
                              std::to_string(kLongestSlot) + " of a-z, 0-9 and _");
}

bool reads_no_updates(const ServerLocation& location) {
  const auto found = location.settings.find("updates");
  if (found == location.settings.end()) return false;
  if (found->second == "none") return true;
  throw std::invalid_argument(location.name() + ": updates=" + printable(found->second) +
                              " means nothing; allowed: updates=none, where no UPDATE ever changes "
                              "a key");
}

void pause(const CallContext& context, const std::string& what) {
  if (context.is_over()) throw CallAborted(what);
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

}  // namespace

PostgresChanges::PostgresChanges(const ServerLocation& location, const ChangeOptions& options)
    : location_(location), options_(options), ignores_updates_(reads_no_updates(location)) {
  postgres::require_one_column(location);
  check_slot_name(location, options.slot);
  publication_ = postgres::publication_name(location.selection);
  reading_.form = {options.keys.encoding, options.keys.normalise};
}

bool PostgresChanges::start(const std::optional<Watermark>& from, const CallContext& context) {
  replication_.reset();
  question_.reset();
  control_.reset();
  key_bytes_.clear();
  key_places_.clear();
  deleted_count_ = 0;
  announced_.reset();
  knows_relation_ = false;
  open_.clear();
  reader_ = {};

  check_server(context);
  check_slot(context);
  const Watermark now = publish(context);
  reading_.is_bytea = plan_.table.type.oid == postgres::kByteaOid;
  table_oid_ = static_cast<std::uint32_t>(std::stoul(plan_.table.oid));
  source_ = now.source;
  checked_ = Clock::now();
  checked_position_ = 0;

  replication_.emplace(location_, context);
  has_noted_run_ = options_.slot.empty();
  if (!options_.slot.empty()) {
    slot_ = publication_ + "_" + options_.slot;
    if (!is_stream_broken_ && resume(slot_, from, now, context)) return true;
    drop_slot(slot_, context);
    note_run(context);
  } else {
    slot_ = publication_ + "_" + hex_word(Identity::random().low).substr(8);
  }
  position_ = replication_->create_slot(slot_, options_.slot.empty(), context);
  replication_->start(slot_, position_, publication_, context);
  replication_->tell_now_and_then(context);
  is_stream_broken_ = false;
  return false;
}

SourceTotals PostgresChanges::scan(const BatchConsumer& consumer, const CallContext& context) {
  if (!replication_) throw StoreError(name() + ": nothing was started");
  wait_for_writers(context);
  Connection rows(location_, Connection::Kind::queries, context);
  rows.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", context);
  const BatchConsumer and_stay = [&](const Batch& batch) {
    const bool more = consumer(batch);
    replication_->tell_now_and_then(context);
    return more;
  };
  const SourceTotals totals =
      postgres::copy_keys(rows, plan_.table.select(), reading_, and_stay, context);
  // What was read is locked under its name for as long as the transaction is open.
  if (rows.is_open()) {
    const Result read = rows.query(
        "SELECT FROM pg_attribute WHERE attrelid = to_regclass($1)::oid AND attname = $2 "
        "AND attrelid = $3::oid AND attnum = $4::int2",
        {plan_.table.from(), plan_.table.column, plan_.table.oid, plan_.table.attnum}, context);
    if (read.rows() != 1) throw SourceChanged(name() + ": another table was under the name");
  }
  return totals;
}

std::optional<std::uint64_t> PostgresChanges::expected_count() {
  return PostgresSource(location_, options_.keys).expected_count();
}

void PostgresChanges::poll(const ChangeConsumer& consumer, std::chrono::milliseconds patience,
                           const CallContext& context) {
  if (!replication_) throw StoreError(name() + ": nothing was started");
  const auto until = std::min(Clock::now() + patience, context.deadline);
  // An idle wait that ends in time leaves the connection, and its slot, as they are.
  const CallContext waiting{.stop = context.stop};
  try {
    do {
      check_table_now_and_then(context);
      take_messages(waiting);
      // A socket holds a few hundred rows. Those of a transaction that has not ended can wait for
      // the rest: no watermark moves by them.
      if ((is_full() || has_moved()) && hand_over(consumer)) break;
      // Of a transaction of many rows each would wake us.
      if (!open_.empty() && key_places_.size() >= kManyKeys) std::this_thread::sleep_for(kPause);
    } while (replication_->wait(std::min(until, checked_ + kCheckEvery), waiting) ||
             Clock::now() < until);
    hand_over(consumer);
    replication_->tell_now_and_then(waiting);
  } catch (const StoreError&) {
    // A server that shuts down waits for who still listens.
    replication_.reset();
    throw;
  }
}

void PostgresChanges::confirm(const Watermark& watermark) {
  if (!replication_ || watermark.source != source_) return;
  note_run(CallContext::within(kConfirmTime));
  replication_->confirm(std::min(watermark.position, position_), kNoContext);
}

void PostgresChanges::remove(const CallContext& context) {
  replication_.reset();
  question_.reset();
  control_.reset();
  if (!options_.slot.empty()) drop_slot(publication_ + "_" + options_.slot, context);
  const std::string ours =
      "SELECT count(*) FROM pg_replication_slots WHERE slot_name = $1 AND temporary";
  const auto until = Clock::now() + kSlotPatience;
  while (options_.slot.empty() && !slot_.empty() && Clock::now() < until &&
         control(context).query(ours, {slot_}, context).at(0, 0) != "0") {
    pause(context, name() + ": the slot is not gone yet");
  }
  const Result others = control(context).query(
      "SELECT count(*) FROM pg_replication_slots WHERE left(slot_name, length($1)) = $1 "
      "AND database = current_database()",
      {publication_ + "_"}, context);
  if (others.at(0, 0) != "0") return;
  const Result dropped = control(context).try_query(
      "DROP PUBLICATION IF EXISTS " + postgres::quoted_name(publication_), context);
  // What its owner made stays.
  if (!dropped.sql_state().empty() && dropped.sql_state() != "42501") {
    control(context).refuse(dropped, "the publication cannot be removed");
  }
}

// Ours alone: it waits for no standby.
Connection& PostgresChanges::control(const CallContext& context) {
  if (!control_ || !control_->is_open()) {
    question_.reset();
    control_.emplace(location_, Connection::Kind::queries, context);
    control_->query("SET synchronous_commit = local", context);
  }
  return *control_;
}

void PostgresChanges::check_server(const CallContext& context) {
  const Result settings = control(context).query(
      "SELECT current_setting('wal_level'), current_setting('max_slot_wal_keep_size'), "
      "pg_is_in_recovery()",
      context);
  if (settings.at(0, 2) == "t") {
    throw StoreError(name() +
                     ": the server is a standby, which cannot be followed; allowed: the "
                     "primary");
  }
  if (settings.at(0, 0) != "logical") {
    throw std::invalid_argument(name() + ": cannot be followed: the server's wal_level is " +
                                settings.text(0, 0) +
                                "; ALTER SYSTEM SET wal_level = logical, and restart it");
  }
  if (!options_.slot.empty() && settings.at(0, 1) == "-1") {
    throw std::invalid_argument(name() +
                                ": a slot with a name would fill the server's disk once nobody "
                                "follows; first: ALTER SYSTEM "
                                "SET max_slot_wal_keep_size = '10GB'; SELECT pg_reload_conf()");
  }
}

// What is published, and the answer that is about just this: the table may be exchanged for
// another, or the publication, between any two statements of ours.
Watermark PostgresChanges::publish(const CallContext& context) {
  const auto plan_and_make = [&] {
    plan_ = postgres::plan_publication(control(context), location_.selection, ignores_updates_,
                                       context);
    postgres::make_publication(control(context), plan_, ignores_updates_, location_.selection,
                               context);
  };
  plan_and_make();
  question_.emplace(control(context), location_.selection, context);
  constexpr int kTries = 10;
  for (int i = 0; i < kTries; ++i) {
    const Identity before = question_->ask(control(context), context).source;
    plan_and_make();
    std::string table_oid;
    const Watermark now = question_->ask(control(context), context, &table_oid);
    if (now.source == before && table_oid == plan_.table.oid) return now;
  }
  throw StoreError(name() + ": the table, or its publication, is altered all the time");
}

// Names of slots are the server's, of all its databases. Another's slot gives none of our changes,
// and is not ours to take or to drop.
void PostgresChanges::check_slot(const CallContext& context) {
  if (options_.slot.empty()) return;
  const std::string slot = publication_ + "_" + options_.slot;
  const Result found = control(context).query(
      "SELECT database FROM pg_replication_slots "
      "WHERE slot_name = $1 AND database IS DISTINCT FROM current_database()",
      {slot}, context);
  if (found.rows() == 0) return;
  throw std::invalid_argument(name() + ": the slot " + slot + " belongs to " +
                              (found.is_null(0, 0) ? "none of the databases"
                                                   : "the database " + printable(found.at(0, 0))) +
                              " of the same server; allowed: a slot of another name");
}

// From where the server has kept the changes, be that long before `from`: where its files were put
// back to an older state, what came after that is not what the filter has. The filter must have all
// up to where they were confirmed, though, and of two runs of the server positions alone do not
// tell that: it must be of the run in which that was.
bool PostgresChanges::resume(const std::string& slot, const std::optional<Watermark>& from,
                             const Watermark& now, const CallContext& context) {
  if (!from || from->source.high != now.source.high || from->position > now.position) return false;
  const Result found = control(context).query(
      "SELECT coalesce(confirmed_flush_lsn - '0/0'::pg_lsn, 0), coalesce(wal_status, 'lost') "
      "FROM pg_replication_slots WHERE slot_name = $1 AND plugin = 'pgoutput' "
      "AND database = current_database()",
      {slot}, context);
  if (found.rows() == 0 || found.at(0, 1) == "lost") return false;
  const std::uint64_t confirmed = found.number(0, 0);
  if (confirmed == 0 || confirmed > from->position) return false;
  const bool is_of_this_run = from->source.low == now.source.low;
  if (!is_of_this_run && postgres::noted_run(control(context), publication_, slot, context) !=
                             hex_word(from->source.low)) {
    return false;
  }
  const auto until = Clock::now() + kSlotPatience;
  while (true) {
    try {
      replication_->start(slot, confirmed, publication_, context);
      break;
    } catch (const StoreError&) {
      // The server has not noticed yet that the one before is gone; or another is there.
      if (context.is_over() || Clock::now() > until) throw;
      if (!replication_->is_open()) replication_.emplace(location_, context);
    }
    pause(context, name() + ": the slot is in use");
  }
  // Only now is it ours: who had it until then may have confirmed more, and the server begins there
  // whatever it was asked for.
  const Result begun = control(context).query(
      "SELECT coalesce(confirmed_flush_lsn - '0/0'::pg_lsn, 0) FROM pg_replication_slots "
      "WHERE slot_name = $1 AND database = current_database()",
      {slot}, context);
  if (begun.rows() == 0 || begun.number(0, 0) > from->position) {
    replication_.emplace(location_, context);
    return false;
  }
  replication_->tell_now_and_then(context);
  position_ = from->source == now.source ? from->position : begun.number(0, 0);
  return true;
}

void PostgresChanges::note_run(const CallContext& context) {
  if (has_noted_run_) return;
  const std::string run = hex_word(source_.low);
  auto& connection = control(context);
  if (!postgres::note_run(connection, publication_, slot_, run, context)) {
    const auto noted = postgres::noted_run(connection, publication_, slot_, context);
    if (noted && noted != run) {
      throw StoreError(name() + ": the comment of the publication " + publication_ +
                       " names another run of the server, and this user may not change it; its "
                       "owner can: COMMENT ON PUBLICATION " +
                       publication_ + " IS NULL");
    }
  }
  has_noted_run_ = true;
}

// One of this database. Where another has it, there is none of ours.
void PostgresChanges::drop_slot(const std::string& slot, const CallContext& context) {
  const auto until = Clock::now() + kSlotPatience;
  while (true) {
    const Result found = control(context).query(
        "SELECT active FROM pg_replication_slots WHERE slot_name = $1 "
        "AND database = current_database()",
        {slot}, context);
    if (found.rows() == 0) return;
    if (found.at(0, 0) == "f") {
      const Result dropped = control(context).try_query(
          "SELECT pg_drop_replication_slot(" + postgres::quoted_text(slot) + ")", context);
      if (dropped.sql_state().empty()) return;
      // In use (55006) or gone (42704) since.
      if (dropped.sql_state() != "55006" && dropped.sql_state() != "42704") {
        control(context).refuse(dropped, "the slot cannot be dropped");
      }
    }
    if (Clock::now() > until) {
      throw StoreError(name() + ": the slot " + slot + " is in use by another follower");
    }
    pause(context, name() + ": the slot is in use");
  }
}

// A transaction whose commit stands in the log before following began may be visible to nobody
// yet (it waits for a standby, or is just leaving). All that began before ours have left once none
// as old as it writes.
void PostgresChanges::wait_for_writers(const CallContext& context) {
  const std::string ours =
      control(context).query("SELECT pg_current_xact_id()::text", context).text(0, 0);
  while (control(context)
             .query("SELECT pg_snapshot_xmin(pg_current_snapshot()) > $1::xid8", {ours}, context)
             .at(0, 0) != "t") {
    replication_->tell_now_and_then(context);
    pause(context, name() +
                       ": a transaction that writes since before the scan has not ended "
                       "(pg_stat_activity, pg_prepared_xacts)");
  }
}

// Whatever changes rows without saying so changes the answer.
void PostgresChanges::check_table_now_and_then(const CallContext& context) {
  const auto now = Clock::now();
  if (now - checked_ < kCheckEvery) return;
  if (!control_ || !control_->is_open() || !question_) {
    control(context);
    question_.emplace(*control_, location_.selection, context);
  }
  const Watermark seen = question_->ask(*control_, context);
  checked_ = Clock::now();
  if (seen.source != source_) {
    throw SourceChanged(name() +
                        ": the table, its partitions, its publication or the server is no longer "
                        "what it was when following began");
  }
  // The server sends what it has flushed, and may leave what an open transaction wrote: a fence
  // above that would not be reached before the next commit. So there is one.
  if (seen.position > position_ && position_ == checked_position_) {
    control_->try_query("SELECT pg_logical_emit_message(true, 'bloomery', '')", context);
  }
  checked_position_ = position_;
}

// What the slot gives is the same each time: where it cannot be read, a new slot is needed.
void PostgresChanges::take_messages(const CallContext& context) {
  try {
    take_all(context);
  } catch (const SourceChanged&) {
    is_stream_broken_ = true;
    throw;
  }
}

void PostgresChanges::take_all(const CallContext& context) {
  while (!is_full()) {
    const ReplicationMessage message = replication_->next(context);
    switch (message.kind) {
      case ReplicationMessage::Kind::none:
        return;
      case ReplicationMessage::Kind::position:
        position_ = std::max(position_, message.end_lsn);
        break;
      case ReplicationMessage::Kind::data:
        take(message.data);
        break;
    }
  }
}

void PostgresChanges::take(std::string_view data) {
  reader_.read(data, message_);
  switch (message_.kind) {
    case PgoutputMessage::Kind::begin:
    case PgoutputMessage::Kind::stream_start:
      open_.insert(message_.transaction);
      if (open_.size() > kMostOpen) {
        throw FormatError(name() + ": more transactions are open than a server can have");
      }
      return;
    case PgoutputMessage::Kind::abort:
      if (message_.transaction != 0) open_.erase(message_.transaction);
      return;
    case PgoutputMessage::Kind::commit:
      open_.erase(message_.transaction);
      position_ = std::max(position_, message_.end_lsn);
      return;
    case PgoutputMessage::Kind::relation:
      take_relation();
      return;
    case PgoutputMessage::Kind::truncate:
      if (std::ranges::find(message_.truncated, table_oid_) != message_.truncated.end()) {
        throw SourceChanged(name() + ": the table was truncated");
      }
      return;
    case PgoutputMessage::Kind::insert:
      if (message_.relation != table_oid_) return;
      if (const auto& key = key_of(message_.row); key.kind == PgoutputValue::Kind::text) {
        add_key(key.text);
      }
      return;
    case PgoutputMessage::Kind::update:
      if (message_.relation == table_oid_) take_update();
      return;
    case PgoutputMessage::Kind::erase:
      if (message_.relation != table_oid_) return;
      deleted_count_ +=
          key_of(message_.old_row).kind != PgoutputValue::Kind::null || !key_is_identity_ ? 1 : 0;
      return;
    default:
      return;
  }
}

// Comes before the first row, and after every change of the table. Only a column behind all others
// may be new: where two have exchanged their names, keys would be taken from the wrong one.
void PostgresChanges::take_relation() {
  if (message_.relation != table_oid_) return;
  const auto& columns = message_.columns;
  const auto& expected = plan_.sent_columns;
  const bool is_same =
      columns.size() >= expected.size() &&
      std::equal(expected.begin(), expected.end(), columns.begin(),
                 [](const auto& a, const auto& b) { return a.name == b.name && a.type == b.type; });
  if (!is_same) throw SourceChanged(name() + ": the table's columns are no longer what they were");
  // What is described is the table, and rows of partitions say how they were by the partition's own
  // replica identity, which may be another, or have been another when they were written.
  key_is_identity_ = plan_.table.kind == 'r' && columns[plan_.key_index].is_identity;
  knows_relation_ = true;
}

void PostgresChanges::take_update() {
  const PgoutputValue& now = key_of(message_.row);
  // Without a word of how it was, nothing of the row's replica identity has changed.
  if (!message_.has_old_row && key_is_identity_) return;
  if (now.kind == PgoutputValue::Kind::unchanged) return;
  const bool has_new = now.kind == PgoutputValue::Kind::text;
  if (message_.has_old_row) {
    const PgoutputValue& before = key_of(message_.old_row);
    if (before.kind == PgoutputValue::Kind::text) {
      if (has_new && before.text == now.text) return;
      ++deleted_count_;
    }
  }
  if (has_new) add_key(now.text);
}

const PgoutputValue& PostgresChanges::key_of(const postgres::PgoutputRow& row) const {
  if (!knows_relation_) throw FormatError(name() + ": rows of a table that was not described");
  if (row.size() <= plan_.key_index) throw FormatError(name() + ": a row without its key's column");
  return row[plan_.key_index];
}

void PostgresChanges::add_key(std::string_view text) {
  if (reading_.is_bytea) {
    postgres::read_bytea(text, bytea_);
    text = bytea_;
  }
  const auto [encoding, normalise] = reading_.form;
  const std::size_t start = key_bytes_.size();
  key_bytes_.resize(start +
                    decoded_byte_limit(encoding, normalised_byte_limit(normalise, text.size())));
  std::size_t length = 0;
  try {
    length =
        decode_key(encoding, normalised(normalise, text, normalised_), key_bytes_.data() + start);
  } catch (const std::invalid_argument& wrong) {
    key_bytes_.resize(start);
    throw std::invalid_argument(name() + ": a row that came: " + wrong.what());
  }
  key_bytes_.resize(start + length);
  key_places_.emplace_back(start, length);
}

bool PostgresChanges::is_full() const noexcept {
  return key_places_.size() >= kMostKeys || key_bytes_.size() >= kMostKeyBytes;
}

// Said again where it stands still, so that nobody takes us for dead.
bool PostgresChanges::has_moved() const {
  return !announced_ || position_ > *announced_ || Clock::now() - announced_at_ >= kCheckEvery;
}

bool PostgresChanges::hand_over(const ChangeConsumer& consumer) {
  const bool moves = has_moved();
  if (key_places_.empty() && deleted_count_ == 0 && !moves) return false;
  keys_.clear();
  for (const auto& [start, length] : key_places_) {
    keys_.emplace_back(key_bytes_.data() + start, length);
  }
  Changes changes{.keys = keys_, .deleted_count = deleted_count_, .has_open = !open_.empty()};
  if (moves) changes.watermark = Watermark{.source = source_, .position = position_};
  {
    // As many come again while these are carried.
    const auto drain = is_full() && replication_ ? replication_->drain() : nullptr;
    consumer(changes);
  }
  // Not before: who throws gets them again.
  announced_ = position_;
  announced_at_ = Clock::now();
  key_places_.clear();
  key_bytes_.clear();
  deleted_count_ = 0;
  return true;
}

}  // namespace bloomery
