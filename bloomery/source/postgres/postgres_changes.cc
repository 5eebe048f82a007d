// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/postgres/postgres_changes.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "bloomery/errors.h"
#include "bloomery/source/postgres/followable_server.h"
#include "bloomery/source/postgres/postgres_source.h"
#include "bloomery/source/postgres/replication_slot.h"
#include "bloomery/source/postgres/snapshot.h"
#include "bloomery/text/hex_word.h"

namespace bloomery {
namespace {

using postgres::Connection;
using postgres::ReplicationMessage;
using postgres::Result;
using Clock = CallContext::Clock;

constexpr std::size_t kManyKeys = 100;
constexpr std::chrono::microseconds kPause{300};
constexpr std::chrono::milliseconds kCheckEvery{200};
// A filter that is kept is confirmed again soon.
constexpr std::chrono::seconds kConfirmTime{10};
// Limits how often the confirmed position is noted in the database: each note is a transaction.
constexpr std::uint64_t kNoteBytes = 64 * 1024;
constexpr std::chrono::seconds kNoteEvery{1};

}  // namespace

PostgresChanges::PostgresChanges(const ServerLocation& location, const ChangeOptions& options)
    : location_(location),
      options_(options),
      ignores_updates_(postgres::reads_no_updates(location)) {
  postgres::require_one_column(location);
  postgres::check_slot_name(location.name(), options.slot);
  publication_ = postgres::publication_name(location.selection);
  reading_.form = {options.keys.encoding, options.keys.normalise};
}

bool PostgresChanges::start(const std::optional<Watermark>& from, const CallContext& context) {
  replication_.reset();
  question_.reset();
  control_.reset();
  rows_.reset();
  announced_.reset();
  run_.reset();

  postgres::require_followable(control(context), name(), !options_.slot.empty(), context);
  if (!options_.slot.empty()) {
    postgres::refuse_slot_of_another(control(context), name(), named_slot(), context);
  }
  const Watermark now = publish(context);
  run_ = question_->run();
  reading_.is_bytea = plan_.table.type.oid == postgres::kByteaOid;
  rows_.emplace(name(), plan_, reading_, options_.tells_touched);
  source_ = now.source;
  checked_ = Clock::now();
  checked_position_ = 0;

  replication_.emplace(location_, *run_, context);
  noted_.reset();
  why_anew_ = "without --slot the server keeps no changes for a follower that is away";
  if (!options_.slot.empty()) {
    slot_ = named_slot();
    if (is_stream_broken_) why_anew_ = "the slot " + slot_ + " holds what cannot be read";
    if (!is_stream_broken_ && resume(slot_, from, now, context)) return true;
    postgres::drop_slot(control(context), name(), slot_, context);
  } else {
    slot_ = publication_ + "_" + hex_word(Identity::random().low).substr(8);
  }
  position_ = replication_->create_slot(slot_, options_.slot.empty(), context);
  if (!options_.slot.empty()) note(position_, context);
  replication_->start(slot_, position_, publication_, context);
  replication_->tell_now_and_then(context);
  is_stream_broken_ = false;
  return false;
}

SourceTotals PostgresChanges::scan(const BatchConsumer& consumer, const CallContext& context) {
  if (!replication_) throw StoreError(name() + ": nothing was started");
  if (!wait_for_writers(consumer, context)) return {};
  Connection rows(location_, Connection::Kind::queries, context);
  rows.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", context);
  postgres::require_run(rows, *run_, context);
  const BatchConsumer and_stay = [&](const Batch& batch) {
    const bool more = consumer(batch);
    replication_->tell_now_and_then(context);
    return more;
  };
  const SourceTotals totals =
      postgres::copy_keys(rows, plan_.table.select(), reading_, and_stay, context);
  // The table that was read is locked under its name while the transaction is open.
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
      if ((rows_->is_full() || has_moved()) && hand_over(consumer)) break;
      // Each row of a large transaction would wake this thread.
      if (rows_->has_open() && rows_->key_count() >= kManyKeys) {
        std::this_thread::sleep_for(kPause);
      }
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

void PostgresChanges::drop_seen(std::vector<std::uint64_t>& ended, const CallContext& context) {
  const Result now = control(context).query("SELECT pg_current_snapshot()", context);
  const postgres::Snapshot snapshot(now.at(0, 0));
  std::erase_if(ended, [&](std::uint64_t transaction) {
    return snapshot.sees(static_cast<std::uint32_t>(transaction));
  });
}

// Draws places of rows; some of them hold a row. Each page is taken to have as many rows as the
// average page.
std::optional<DrawnKeys> PostgresChanges::draw(const CallContext& context) {
  if (!replication_ || plan_.table.kind != 'r') return std::nullopt;
  const Result found = control(context).query(
      plan_.table.select() +
          " WHERE ctid = ANY(ARRAY(SELECT format('(%s,%s)', floor(random() * pages), "
          "1 + floor(random() * rows))::tid FROM generate_series(1, " +
          std::to_string(kMostDrawn) +
          "), (SELECT pg_relation_size(oid) / current_setting('block_size')::bigint AS pages, "
          "CASE WHEN reltuples > 0 AND relpages > 0 THEN ceil(reltuples / relpages) ELSE 100 END "
          "AS rows FROM pg_class WHERE oid = $1::oid) sizes))",
      {plan_.table.oid}, context);
  postgres::ChangedRows rows(name(), plan_, reading_, /*tells_touched=*/false);
  for (int i = 0; i < found.rows(); ++i) {
    if (!found.is_null(i, 0)) rows.add_key(found.at(i, 0));
  }
  const std::span<const Key> keys = rows.changes().keys;
  return DrawnKeys{.keys = {keys.begin(), keys.end()}, .behind = ask_table(context)};
}

void PostgresChanges::confirm(const Watermark& watermark) {
  if (!replication_ || watermark.source != source_) return;
  const std::uint64_t position = std::min(watermark.position, position_);
  if (!options_.slot.empty()) {
    const auto now = Clock::now();
    if (noted_ && (position < *noted_ + kNoteBytes || now < noted_at_ + kNoteEvery)) return;
    note(position, CallContext::within(kConfirmTime));
    noted_ = position;
    noted_at_ = now;
  }
  replication_->confirm(position, kNoContext);
}

std::string PostgresChanges::remove(const CallContext& context) {
  replication_.reset();
  question_.reset();
  control_.reset();
  run_.reset();
  if (!options_.slot.empty()) {
    postgres::drop_slot(control(context), name(), named_slot(), context);
  } else if (!slot_.empty()) {
    postgres::wait_until_slot_is_gone(control(context), name(), slot_, context);
  }
  if (const auto slots = postgres::slots_of(control(context), publication_, context);
      !slots.empty()) {
    return "the publication " + publication_ + " stays, for slots that need it: " + slots;
  }
  const Result dropped = control(context).try_query(
      "DROP PUBLICATION IF EXISTS " + postgres::quoted_name(publication_), context);
  if (dropped.sql_state() == "42501") {
    return "the publication " + publication_ + " stays: its owner has to drop it";
  }
  if (!dropped.sql_state().empty()) {
    control(context).refuse(dropped, "the publication cannot be removed");
  }
  return {};
}

// Ours alone: it waits for no standby.
Connection& PostgresChanges::control(const CallContext& context) {
  if (!control_ || !control_->is_open()) {
    question_.reset();
    Connection connected(location_, Connection::Kind::queries, context);
    if (run_) postgres::require_run(connected, *run_, context);
    connected.query("SET synchronous_commit = local", context);
    control_.emplace(std::move(connected));
  }
  return *control_;
}

// Makes the publication and asks how far the table is, until both are about one table: the table or
// the publication may be exchanged between any two statements.
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

// Resumes from where the server has kept the changes, be that long before `from`: where its files
// were put back to an older state, what came after that is not what the filter has. The filter must
// have all up to where they were confirmed, though, and of two runs of the server positions alone
// do not tell that: it must be of the run in which that was, and the slot the one confirmed then.
bool PostgresChanges::resume(const std::string& slot, const std::optional<Watermark>& from,
                             const Watermark& now, const CallContext& context) {
  if (!from || from->source.high != now.source.high || from->position > now.position) {
    why_anew_ = "the table, the publication or the server is another one, or was put back";
    return false;
  }
  why_anew_ = "the slot " + slot + " does not go on where the filter ends";
  const auto has_all_before = [&](const std::optional<std::uint64_t>& kept) {
    if (!kept || *kept > from->position) return false;
    if (from->source.low == now.source.low) return true;
    const auto noted = postgres::noted_slot(control(context), publication_, slot, context);
    return noted && noted->run == hex_word(from->source.low) && *kept <= noted->position;
  };
  const auto kept = postgres::confirmed_position(control(context), slot, context);
  if (!kept) {
    why_anew_ = "the slot " + slot +
                " is gone: it was dropped, or the server removed the log that it needs "
                "(max_slot_wal_keep_size)";
  }
  if (!has_all_before(kept)) return false;
  const auto until = Clock::now() + postgres::kSlotPatience;
  while (true) {
    try {
      replication_->start(slot, *kept, publication_, context);
      break;
    } catch (const StoreError&) {
      // The server has not noticed yet that the one before is gone; or another is there.
      if (context.is_over() || Clock::now() > until) throw;
      if (!replication_->is_open()) replication_.emplace(location_, *run_, context);
    }
    postgres::pause(context, name() + ": the slot is in use");
  }
  // Only now is it ours: who had it until then may have confirmed more, and the server begins there
  // whatever it was asked for.
  const auto begun = postgres::confirmed_position(control(context), slot, context);
  if (!has_all_before(begun)) {
    replication_.emplace(location_, *run_, context);
    return false;
  }
  replication_->tell_now_and_then(context);
  position_ = from->source == now.source ? from->position : *begun;
  return true;
}

void PostgresChanges::note(std::uint64_t position, const CallContext& context) {
  const postgres::NotedSlot ours{hex_word(source_.low), position};
  auto& connection = control(context);
  if (postgres::note_slot(connection, publication_, slot_, ours, context)) return;
  const auto noted = postgres::noted_slot(connection, publication_, slot_, context);
  if (!noted || noted->run == ours.run) return;
  throw StoreError(name() + ": the comment of the publication " + publication_ +
                   " names another run of the server, and this user may not change it; its "
                   "owner can: COMMENT ON PUBLICATION " +
                   publication_ + " IS NULL");
}

// A transaction whose commit stands in the log before following began may be visible to nobody
// yet (it waits for a standby, or is just leaving). All that began before ours have left once none
// as old as it writes. That may take hours, in which the consumer has changes to carry.
bool PostgresChanges::wait_for_writers(const BatchConsumer& consumer, const CallContext& context) {
  const std::string ours =
      control(context).query("SELECT pg_current_xact_id()::text", context).text(0, 0);
  while (control(context)
             .query("SELECT pg_snapshot_xmin(pg_current_snapshot()) > $1::xid8", {ours}, context)
             .at(0, 0) != "t") {
    if (!consumer(kEmptyBatch)) return false;
    replication_->tell_now_and_then(context);
    postgres::pause(context, name() +
                                 ": a transaction that writes since before the scan has not ended "
                                 "(pg_stat_activity, pg_prepared_xacts)");
  }
  return true;
}

Watermark PostgresChanges::ask_table(const CallContext& context) {
  Connection& connection = control(context);
  if (!question_) question_.emplace(connection, location_.selection, context);
  return question_->ask(connection, context);
}

// Whatever changes rows without saying so changes the answer.
void PostgresChanges::check_table_now_and_then(const CallContext& context) {
  const auto now = Clock::now();
  if (now - checked_ < kCheckEvery) return;
  const Watermark seen = ask_table(context);
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

// Takes what has come. A slot sends the same messages each time: if they cannot be read, a new slot
// is needed.
void PostgresChanges::take_messages(const CallContext& context) {
  try {
    take_all(context);
  } catch (const SourceChanged&) {
    is_stream_broken_ = true;
    throw;
  }
}

void PostgresChanges::take_all(const CallContext& context) {
  while (!rows_->is_full()) {
    const ReplicationMessage message = replication_->next(context);
    switch (message.kind) {
      case ReplicationMessage::Kind::none:
        return;
      case ReplicationMessage::Kind::position:
        position_ = std::max(position_, message.end_lsn);
        break;
      case ReplicationMessage::Kind::data:
        position_ = std::max(position_, rows_->take(message.data));
        break;
    }
  }
}

// Said again where it stands still, so that nobody takes us for dead.
bool PostgresChanges::has_moved() const {
  return !announced_ || position_ > *announced_ || Clock::now() - announced_at_ >= kCheckEvery;
}

bool PostgresChanges::hand_over(const ChangeConsumer& consumer) {
  const bool moves = has_moved();
  if (rows_->is_empty() && !moves) return false;
  Changes changes = rows_->changes();
  if (moves) changes.watermark = Watermark{.source = source_, .position = position_};
  {
    // Reads on while these changes are carried: as many come meanwhile.
    const auto drain = rows_->is_full() && replication_ ? replication_->drain() : nullptr;
    consumer(changes);
  }
  // Not before: who throws gets them again.
  announced_ = position_;
  announced_at_ = Clock::now();
  rows_->clear();
  return true;
}

}  // namespace bloomery
