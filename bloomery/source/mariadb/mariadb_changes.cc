// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/mariadb/mariadb_changes.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "bloomery/source/mariadb/binlog_stream.h"
#include "bloomery/source/mariadb/drawn_rows.h"
#include "bloomery/source/mariadb/followable_mariadb.h"
#include "bloomery/source/mariadb/history.h"
#include "bloomery/source/mariadb/log_place.h"
#include "bloomery/source/mariadb/log_poll.h"
#include "bloomery/source/mariadb/mariadb_source.h"
#include "bloomery/source/mariadb/unseen_rows.h"

namespace bloomery {
struct MariadbChanges::Session {
  Session(const ServerLocation& location, const CallContext& context)
      : server(location),
        connection(server, context),
        run(mariadb::server_run(connection, context)),
        table(mariadb::describe_table(connection, location.selection, context)),
        history(connection, table, context) {}

  const mariadb::Server server;
  mariadb::Connection connection;
  const std::string run;
  const mariadb::Table table;
  mariadb::History history;
};

struct MariadbChanges::Stream {
  using Clock = CallContext::Clock;

  // How long a running stream may be of a source that no fence names any more.
  static constexpr std::chrono::seconds kLookForResetEvery{5};
  static constexpr std::chrono::milliseconds kTakeFor{50};

  Stream(const Session& session, mariadb::Table described, const KeyForm& key_form,
         mariadb::BinlogReader reader, const std::string& file, std::uint32_t offset,
         const Identity& identity, const CallContext& context)
      : server(session.server),
        history(session.history),
        table(std::move(described)),
        form(key_form),
        taking(session.server.name, identity),
        run(session.run),
        log(
            server, run,
            [logged = std::move(reader)](std::string_view packet,
                                         mariadb::LoggedChanges& read) mutable {
              logged.read(packet, read);
            },
            file, offset, context) {}

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

  // Keys of what stands in the log now, and may be seen by no scan that begins.
  bool hand_over_unseen(const BatchConsumer& consumer, const CallContext& context) const;

  const mariadb::Server server;
  const mariadb::History history;
  const mariadb::Table table;
  const KeyForm form;
  mariadb::LogPoll taking;
  const std::string run;
  Clock::time_point look_at{};
  mariadb::BinlogStream log;
};

MariadbChanges::MariadbChanges(const ServerLocation& location, ChangeOptions options)
    : location_(location), options_(std::move(options)) {
  mariadb::Server checked(location_);
  if (location_.selection.columns.size() == 1) return;
  throw std::invalid_argument(location_.name() +
                              ": names no column to follow; allowed: one, "
                              "?table=TABLE&column=COLUMN");
}

MariadbChanges::~MariadbChanges() = default;

bool MariadbChanges::Stream::hand_over_unseen(const BatchConsumer& consumer,
                                              const CallContext& context) const {
  mariadb::Connection connection(server, context);
  mariadb::require_run(connection, run, context);
  const auto status = connection.ask("SHOW MASTER STATUS", context);
  if (status.empty() || status[0].size() < 2) throw StoreError(server.name + ": has no log");
  const mariadb::LogFile last(status[0][0].value_or(""));
  const std::uint64_t end = mariadb::offset_in(connection, status[0][1].value_or(""));
  const mariadb::LogFile first = mariadb::oldest_unseen(connection, last, context);
  mariadb::BinlogStream part(
      server, run,
      [rows = mariadb::UnseenRows(table, form, first, last, end)](
          std::string_view packet, mariadb::LoggedChanges& read) mutable {
        rows.read(packet, read);
      },
      first.name(), mariadb::LogPlace::kBegin, context);
  for (mariadb::LoggedChanges unseen; !unseen.position;) {
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

bool MariadbChanges::start(const std::optional<Watermark>& from, const CallContext& context) {
  const bool has_changed = stream_ != nullptr && stream_->taking.has_changed();
  has_changed_ = has_changed_ || has_changed;
  stream_.reset();
  Session session(location_, context);
  mariadb::require_whole_log(session.connection, context);
  mariadb::require_followable(session.connection, session.table, context);

  const mariadb::History::Now now = session.history.ask(session.connection, context);
  const KeyForm form{options_.keys.encoding, options_.keys.normalise};
  const auto begin = [&](const mariadb::Table& table, const mariadb::LogPlace& at,
                         std::uint64_t known, const Identity& identity) {
    mariadb::BinlogReader reader(table, form, at.state, at.file, known, options_.tells_touched);
    stream_ = std::make_unique<Stream>(session, table, form, std::move(reader), at.file.name(),
                                       at.offset, identity, context);
  };
  const Watermark now_at = now.watermark();
  const bool may_go_on =
      from && !has_changed_ && from->source == now_at.source && from->position <= now_at.position;
  if (may_go_on) {
    // Begins with the very file in which the filter stands: whatever is not in order behind it
    // stops the reader.
    mariadb::LogFile file = now.file;
    file.number = mariadb::LogPosition::file(from->position);
    const auto at = mariadb::place_of(session.connection, file, mariadb::LogPlace::kBegin, context);
    if (at && at->state.sum() <= mariadb::LogPosition::sum(from->position)) {
      try {
        begin(session.table, *at, from->position, from->source);
        return true;
      } catch (const SourceChanged&) {
        // Purged in between.
      }
    }
  }
  has_changed_ = false;
  const auto begin_anew = [&] {
    const mariadb::VisibleState seen = mariadb::visible_state(session.connection, context);
    // The table as it is behind that moment: what was altered before it does not come any more.
    const auto table = mariadb::describe_table(session.connection, location_.selection, context);
    const mariadb::History checked_again(session.connection, table, context);
    mariadb::require_followable(session.connection, table, context);
    begin(table, seen.begin, mariadb::LogPosition::of(seen.state.sum(), seen.begin.file.number),
          now.identity_with(seen.state));
  };
  mariadb::outlast_purges(begin_anew, context);
  return false;
}

SourceTotals MariadbChanges::scan(const BatchConsumer& consumer, const CallContext& context) {
  if (stream_ == nullptr) throw std::logic_error("MariadbChanges::scan before start");
  if (stream_->taking.has_handed()) {
    // Into another filter, and maybe before anybody could see it.
    mariadb::Connection connection(stream_->server, context);
    mariadb::require_run(connection, stream_->run, context);
    const auto meanwhile = [&] { return consumer(kEmptyBatch); };
    if (!mariadb::wait_until_visible(connection, meanwhile, context)) return {};
  }
  const auto hand_over = [&] { return stream_->hand_over_unseen(consumer, context); };
  if (!mariadb::outlast_purges(hand_over, context)) return {};
  MariadbSource rows(location_, options_.keys, context);
  rows.require_run(stream_->run);
  return rows.for_each_batch(consumer, context);
}

std::optional<std::uint64_t> MariadbChanges::expected_count() {
  return MariadbSource(location_, options_.keys).expected_count();
}

void MariadbChanges::poll(const ChangeConsumer& consumer, std::chrono::milliseconds patience,
                          const CallContext& context) {
  if (stream_ == nullptr) throw std::logic_error("MariadbChanges::poll before start");
  stream_->taking.poll(
      stream_->log, [&] { stream_->look_for_reset(context); }, consumer, patience, context);
}

// Drops transactions that a snapshot shows. The server's answer about a snapshot is true for all
// but the last commits before a file of the log or a checkpoint (hand_over_unseen).
void MariadbChanges::drop_seen(std::vector<std::uint64_t>& ended, const CallContext& context) {
  if (stream_ == nullptr) throw std::logic_error("MariadbChanges::drop_seen before start");
  mariadb::Connection connection(stream_->server, context);
  mariadb::require_run(connection, stream_->run, context);
  const mariadb::VisiblePlace seen = mariadb::visible_place(connection, context);
  const std::uint64_t place = mariadb::log_place(seen.file.number, seen.offset);
  std::erase_if(ended, [&](std::uint64_t end) { return end <= place; });
}

// The log has a transaction's number before anybody sees its rows.
std::optional<DrawnKeys> MariadbChanges::draw(const CallContext& context) {
  if (stream_ == nullptr) return std::nullopt;
  mariadb::Connection connection(stream_->server, context);
  mariadb::require_run(connection, stream_->run, context);
  auto keys =
      mariadb::draw_keys(connection, stream_->table, stream_->form, kMostDrawn, random_, context);
  if (!keys) return std::nullopt;
  mariadb::History history(connection, stream_->table, context);
  return DrawnKeys{.keys = std::move(*keys),
                   .behind = history.ask(connection, context).watermark()};
}

}  // namespace bloomery
