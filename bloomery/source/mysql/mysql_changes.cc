// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/mysql/mysql_changes.h"

#include <mysqld_error.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "bloomery/source/mariadb/binlog_stream.h"
#include "bloomery/source/mariadb/drawn_rows.h"
#include "bloomery/source/mariadb/history.h"
#include "bloomery/source/mariadb/log_place.h"
#include "bloomery/source/mariadb/log_poll.h"
#include "bloomery/source/mariadb/mariadb_source.h"
#include "bloomery/source/mysql/followable_mysql.h"
#include "bloomery/source/mysql/log_history.h"
#include "bloomery/source/mysql/log_reader.h"

namespace bloomery {
namespace {

using Clock = CallContext::Clock;

// How long a running stream may be of a source that no fence names any more.
constexpr std::chrono::seconds kLookForResetEvery{5};

// The offset from which a log is read up to a place: a replica cannot name one beyond 4 GiB.
std::uint32_t readable_offset(const mysql::LogPoint& from) noexcept {
  constexpr std::uint64_t kFarthest = 0xffffffffU;
  return from.offset <= kFarthest ? static_cast<std::uint32_t>(from.offset)
                                  : mariadb::LogPlace::kBegin;
}

// The log from a place on; `end` is the position where the log ended when that was asked.
mysql::LogReader::Stretch stretch_from(const mysql::LogPoint& from, std::uint64_t end) {
  return {.from = {from.file, readable_offset(from)}, .known = from.position(), .old = end};
}

mariadb::BinlogStream::Reader reader_of(mysql::LogReader reader) {
  return
      [reader = std::move(reader)](std::string_view packet, mariadb::LoggedChanges& read) mutable {
        reader.read(packet, read);
      };
}

}  // namespace

struct MysqlChanges::Stream {
  // Reads from a place, up to which all is seen, or known. `end` is a position: before it the table
  // may have been another one.
  Stream(const mariadb::Server& of, std::string of_run, const mysql::LogHistory& of_history,
         mariadb::Table described, const KeyForm& key_form, const mysql::LogPoint& from,
         std::uint64_t end, const Identity& source, bool tells_touched, const CallContext& context)
      : server(of),
        run(std::move(of_run)),
        history(of_history),
        table(std::move(described)),
        form(key_form),
        taking(server.name, source),
        log(server, run,
            reader_of(mysql::LogReader(table, form, stretch_from(from, end), tells_touched)),
            from.file.name(), readable_offset(from), context) {}

  // Keys of what stands in the log's last file now: all that some snapshot may not see.
  bool hand_over_last_file(mariadb::Connection& connection, const BatchConsumer& consumer,
                           const CallContext& context) const;

  // First before anything is taken, as the log may have begun anew before the stream did.
  void look_for_reset(const CallContext& context) {
    if (Clock::now() < look_at) return;
    mariadb::Connection connection(server, context);
    mariadb::require_run(connection, run, context);
    if (history.was_reset(connection, context)) {
      throw SourceChanged("somebody said RESET to the server, so its log may be another one");
    }
    look_at = Clock::now() + kLookForResetEvery;
  }

  const mariadb::Server server;
  const std::string run;
  const mysql::LogHistory history;
  const mariadb::Table table;
  const KeyForm form;
  Clock::time_point look_at{};
  mariadb::LogPoll taking;
  mariadb::BinlogStream log;
};

MysqlChanges::MysqlChanges(const ServerLocation& location, ChangeOptions options)
    : location_(location), options_(std::move(options)) {
  mariadb::Server checked(location_);
  if (location_.selection.columns.size() == 1) return;
  throw std::invalid_argument(location_.name() +
                              ": names no column to follow; allowed: one, "
                              "?table=TABLE&column=COLUMN");
}

MysqlChanges::~MysqlChanges() = default;

bool MysqlChanges::start(const std::optional<Watermark>& from, const CallContext& context) {
  if (stream_ != nullptr && stream_->taking.has_changed()) has_changed_ = true;
  stream_.reset();
  const mariadb::Server server(location_);
  mariadb::Connection connection(server, context);
  const std::string run = mariadb::server_run(connection, context);
  const ServerSelection& selection = location_.selection;
  mariadb::Table table = mariadb::describe_table(connection, selection, context);
  const mysql::LogHistory history(connection, table, context);
  mysql::require_followable(connection, table, context);

  const KeyForm form{options_.keys.encoding, options_.keys.normalise};
  const auto begin = [&](const mysql::LogPoint& at, std::uint64_t end, const Identity& source) {
    try {
      stream_ = std::make_unique<Stream>(server, run, history, table, form, at, end, source,
                                         options_.tells_touched, context);
    } catch (const mariadb::ServerError& error) {
      if (error.code != ER_SPECIFIC_ACCESS_DENIED_ERROR) throw;
      throw std::invalid_argument(location_.name() + ": its log may not be read; " +
                                  mysql::grant(connection, "REPLICATION SLAVE ON *.*", context));
    }
  };
  const mysql::LogHistory::Now now = history.ask(connection, context);
  if (from && !has_changed_ && from->source == now.source && from->position <= now.end.position()) {
    mysql::LogPoint at = now.end;
    at.file.number = from->position >> mariadb::kLogOffsetBits;
    at.offset = from->position & ((std::uint64_t{1} << mariadb::kLogOffsetBits) - 1);
    try {
      begin(at, 0, now.source);
      return true;
    } catch (const SourceChanged&) {
      // Purged in between.
    }
  }
  has_changed_ = false;
  const auto begin_anew = [&] {
    // The server begins no file before all of the last one is seen.
    auto seen = mysql::visible_point(connection, context);
    const mysql::LogPoint end = history.ask(connection, context).end;
    if (!seen) seen = {end.file, mariadb::LogPlace::kBegin};
    mysql::require_none_prepared(connection, context);
    // The table as it is behind that place: what was altered before it does not come any more, once
    // who alters it lets others in.
    connection.ask("SELECT " + mariadb::quote_name(table.key_column().name) + " FROM " +
                       table.quoted() + " WHERE FALSE",
                   context);
    table = mariadb::describe_table(connection, selection, context);
    const mysql::LogHistory checked_again(connection, table, context);
    mysql::require_followable(connection, table, context);
    begin(*seen, end.position(), now.source);
  };
  mariadb::outlast_purges(begin_anew, context);
  return false;
}

bool MysqlChanges::Stream::hand_over_last_file(mariadb::Connection& connection,
                                               const BatchConsumer& consumer,
                                               const CallContext& context) const {
  constexpr std::chrono::milliseconds kTakeFor{50};
  const mysql::LogPoint end = history.ask(connection, context).end;
  const mysql::LogPoint from{end.file, mariadb::LogPlace::kBegin};
  mysql::LogReader reader(table, form, stretch_from(from, end.position()), false);
  mariadb::BinlogStream part(server, run, reader_of(std::move(reader)), from.file.name(),
                             mariadb::LogPlace::kBegin, context);
  mariadb::LoggedChanges unseen;
  while (!unseen.position || *unseen.position < end.position()) {
    const bool has_come = part.take(unseen, Clock::now() + kTakeFor, context);
    if (!has_come && context.is_over()) {
      throw CallAborted(server.name + ": the caller's time is over");
    }
    Batch batch = kEmptyBatch;
    batch.keys = unseen.keys.keys();
    if (!consumer(batch)) return false;
  }
  return true;
}

SourceTotals MysqlChanges::scan(const BatchConsumer& consumer, const CallContext& context) {
  if (stream_ == nullptr) throw std::logic_error("MysqlChanges::scan before start");
  if (stream_->taking.has_handed()) {
    // Into another filter, and maybe before anybody could see it.
    mariadb::Connection connection(stream_->server, context);
    mariadb::require_run(connection, stream_->run, context);
    const auto hand_over = [&] {
      return stream_->hand_over_last_file(connection, consumer, context);
    };
    if (!mysql::visible_point(connection, context) &&
        !mariadb::outlast_purges(hand_over, context)) {
      return {};
    }
  }
  MariadbSource rows(location_, options_.keys, context);
  rows.require_run(stream_->run);
  return rows.for_each_batch(consumer, context);
}

std::optional<std::uint64_t> MysqlChanges::expected_count() {
  return MariadbSource(location_, options_.keys).expected_count();
}

void MysqlChanges::poll(const ChangeConsumer& consumer, std::chrono::milliseconds patience,
                        const CallContext& context) {
  if (stream_ == nullptr) throw std::logic_error("MysqlChanges::poll before start");
  stream_->taking.poll(
      stream_->log, [&] { stream_->look_for_reset(context); }, consumer, patience, context);
}

void MysqlChanges::drop_seen(std::vector<std::uint64_t>& ended, const CallContext& context) {
  if (stream_ == nullptr) throw std::logic_error("MysqlChanges::drop_seen before start");
  mariadb::Connection connection(stream_->server, context);
  mariadb::require_run(connection, stream_->run, context);
  auto seen = mysql::visible_point(connection, context);
  if (!seen) {
    // Older files of the log are seen; of the last one nobody says it.
    seen = {stream_->history.ask(connection, context).end.file, mariadb::LogPlace::kBegin};
  }
  const std::uint64_t place = seen->position();
  std::erase_if(ended, [&](std::uint64_t end) { return end <= place; });
}

// The log has a transaction before anybody sees its rows.
std::optional<DrawnKeys> MysqlChanges::draw(const CallContext& context) {
  if (stream_ == nullptr) return std::nullopt;
  mariadb::Connection connection(stream_->server, context);
  mariadb::require_run(connection, stream_->run, context);
  auto keys =
      mariadb::draw_keys(connection, stream_->table, stream_->form, kMostDrawn, random_, context);
  if (!keys) return std::nullopt;
  return DrawnKeys{.keys = std::move(*keys),
                   .behind = stream_->history.ask(connection, context).watermark()};
}

}  // namespace bloomery
