#include "bloomery/source/mariadb/mariadb_changes.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <utility>

#include <mysqld_error.h>

#include "bloomery/source/mariadb/binlog_stream.h"
#include "bloomery/source/mariadb/history.h"
#include "bloomery/source/mariadb/mariadb_source.h"
#include "bloomery/source/mariadb/unseen_rows.h"
#include "bloomery/text/ascii.h"

namespace bloomery {
namespace {

[[noreturn]] void refuse_followed(const ServerLocation& location, const std::string& why) {
  throw std::invalid_argument(location.name() + ": " + why);
}

// What a statement that makes the table says of foreign keys; needs SELECT on all of the table.
// information_schema shows them to those alone who may write.
std::string show_table(mariadb::Connection& connection, const mariadb::Table& table,
                       const CallContext& context) {
  try {
    connection.ask("SET SESSION sql_quote_show_create=1", context);
    const auto rows = connection.ask("SHOW CREATE TABLE " + table.quoted(), context);
    if (rows.size() == 1 && rows[0].size() >= 2 && rows[0][1]) return *rows[0][1];
  } catch (const mariadb::ServerError& error) {
    const bool is_denied =
        error.code == ER_TABLEACCESS_DENIED_ERROR || error.code == ER_COLUMNACCESS_DENIED_ERROR;
    if (!is_denied) throw;
    throw std::invalid_argument(
        std::string(error.what()) +
        "; to follow a column needs the right SELECT on its whole table, of which SHOW CREATE "
        "TABLE tells whether its rows change with another's");
  }
  throw StoreError(connection.server().name + ": does not say how " + table.key_name() +
                   " was made");
}

// Rows of a referencing table change with the rows that they reference, inside of InnoDB: the log
// does not say so.
void check_cascades(mariadb::Connection& connection, const mariadb::Table& table,
                    const CallContext& context) {
  constexpr std::string_view kForeign = "FOREIGN KEY (";
  const std::string made = ascii_lower(show_table(connection, table, context));
  const std::string foreign = ascii_lower(kForeign);
  const std::string key = ascii_lower(mariadb::quote_name(table.key_column().name));
  for (std::size_t at = made.find(foreign); at != made.npos;) {
    const std::size_t next = made.find(foreign, at + 1);
    const std::string_view clause = std::string_view(made).substr(at, next - at);
    at = next;
    const std::string_view columns = clause.substr(0, clause.rfind(" references "));
    const bool changes = clause.find("on update cascade") != clause.npos ||
                         clause.find("on update set default") != clause.npos;
    if (!changes || columns.find(key) == columns.npos) continue;
    throw std::invalid_argument(
        connection.server().name + ": " + table.key_name() +
        " changes with another table (ON UPDATE CASCADE), and the log does not show such rows; "
        "declare it ON UPDATE RESTRICT");
  }
}

// Small images leave out keys that are defaults, or stay as they are. A session may set its own:
// its rows stop the stream.
void check_row_image(mariadb::Connection& connection, const mariadb::Column& key,
                     const CallContext& context) {
  const auto image = connection.ask_one("SELECT @@global.binlog_row_image", context);
  const bool is_blob = key.data_type.ends_with("text") || key.data_type.ends_with("blob");
  if (image == "FULL" || (image == "NOBLOB" && !is_blob)) return;
  throw std::invalid_argument(connection.server().name + ": has binlog_row_image=" + image +
                              ", with which rows are logged without their keys; SET GLOBAL "
                              "binlog_row_image=FULL");
}

// Needs the right to see where the log is.
void check_log(mariadb::Connection& connection, const CallContext& context) {
  const auto format = connection.ask_one("SELECT @@global.binlog_format", context);
  if (format != "ROW") {
    throw std::invalid_argument(connection.server().name + ": has binlog_format=" + format +
                                ", with which rows are not logged; SET GLOBAL binlog_format=ROW");
  }
  const auto status = connection.ask("SHOW MASTER STATUS", context);
  const bool has_filters =
      !status.empty() && status[0].size() >= 4 &&
      (!status[0][2].value_or("").empty() || !status[0][3].value_or("").empty());
  if (!has_filters) return;
  throw std::invalid_argument(
      connection.server().name +
      ": leaves databases out of its log (binlog_do_db, binlog_ignore_db), and with them "
      "definitions of any table; remove these settings");
}

}  // namespace

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
        source(identity),
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
  const Identity source;
  const std::string run;
  Clock::time_point look_at{};
  mariadb::BinlogStream log;
  mariadb::LoggedChanges changes;
  bool is_taken = false;    // and not handed over: the consumer threw
  bool has_handed = false;  // anything over
};

MariadbChanges::MariadbChanges(const ServerLocation& location, ChangeOptions options)
    : location_(location), options_(std::move(options)) {
  mariadb::Server checked(location_);
  if (location_.selection.columns.size() == 1) return;
  refuse_followed(location_, "names no column to follow; allowed: one, ?table=TABLE&column=COLUMN");
}

MariadbChanges::~MariadbChanges() = default;

namespace {

// A place in the log, and what stands before it.
struct LogPlace {
  mariadb::LogFile file;
  std::uint32_t offset = kBegin;
  mariadb::GtidState state;

  static constexpr std::uint32_t kBegin = 4;
};

// Nothing where the file is gone.
std::optional<LogPlace> place_of(mariadb::Connection& connection, const mariadb::LogFile& file,
                                 std::uint64_t offset, const CallContext& context) {
  const auto rows = connection.ask("SELECT BINLOG_GTID_POS(" + connection.literal(file.name()) +
                                       ", " + std::to_string(offset) + ")",
                                   context);
  if (rows.empty() || !rows[0][0]) return std::nullopt;
  return LogPlace{file, static_cast<std::uint32_t>(offset), mariadb::GtidState(*rows[0][0])};
}

// Up to where in the log a new snapshot sees, as the server says: transactions are in the log
// before they can be seen, so where the log ends now may be ahead of every snapshot.
struct VisiblePlace {
  mariadb::LogFile file;
  std::uint64_t offset = 0;

  bool operator==(const VisiblePlace& other) const {
    return file.number == other.file.number && offset == other.offset;
  }
};

std::uint64_t offset_in(const mariadb::Connection& connection, std::string_view text) {
  std::uint64_t offset = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), offset);
  if (error != std::errc() || end != text.data() + text.size()) {
    throw StoreError(connection.server().name + ": does not say where its log stands");
  }
  return offset;
}

VisiblePlace visible_place(mariadb::Connection& connection, const CallContext& context) {
  connection.ask("START TRANSACTION WITH CONSISTENT SNAPSHOT", context);
  const auto position = connection.ask("SHOW STATUS LIKE 'binlog_snapshot_%'", context);
  connection.ask("ROLLBACK", context);
  std::string file;
  std::string offset_text;
  for (const auto& row : position) {
    const std::string name = row[0].value_or("");
    if (name == "Binlog_snapshot_file") file = row[1].value_or("");
    if (name == "Binlog_snapshot_position") offset_text = row[1].value_or("");
  }
  return {mariadb::LogFile(file), offset_in(connection, offset_text)};
}

mariadb::GtidState state_at(mariadb::Connection& connection, const VisiblePlace& place,
                            const CallContext& context) {
  const auto there = place_of(connection, place.file, place.offset, context);
  if (!there) throw StoreError(connection.server().name + ": has lost " + place.file.name());
  return there->state;
}

struct VisibleState {
  mariadb::GtidState state;
  LogPlace begin;  // at or before it
};

VisibleState visible_state(mariadb::Connection& connection, const CallContext& context) {
  const VisiblePlace seen = visible_place(connection, context);
  const mariadb::GtidState state = state_at(connection, seen, context);
  // A replica cannot name a place beyond that.
  constexpr std::uint64_t kFarthest = 0xffffffffU;
  if (seen.offset <= kFarthest) {
    return {state, {seen.file, static_cast<std::uint32_t>(seen.offset), state}};
  }
  const auto begin = place_of(connection, seen.file, LogPlace::kBegin, context);
  if (!begin) throw StoreError(connection.server().name + ": has lost " + seen.file.name());
  return {state, *begin};
}

// A commit that waits for a replica (rpl_semi_sync_master_wait_point=AFTER_SYNC) may take as long.
constexpr std::chrono::seconds kVisiblePatience{60};

// Until a new snapshot sees all that stands in the log now, as the server says.
void wait_until_visible(mariadb::Connection& connection, const CallContext& context) {
  const mariadb::GtidState wanted(connection.ask_one("SELECT @@global.gtid_binlog_pos", context));
  const auto until = CallContext::Clock::now() + kVisiblePatience;
  std::optional<VisiblePlace> last;
  while (true) {
    const VisiblePlace seen = visible_place(connection, context);
    // Costs the server as much as its log's file is long.
    if (seen != last && state_at(connection, seen, context).sum() >= wanted.sum()) return;
    last = seen;
    if (context.is_over() || CallContext::Clock::now() > until) {
      throw StoreError(connection.server().name +
                       ": a transaction stands in the log that nobody can see yet; it may wait for "
                       "a replica (rpl_semi_sync_master_timeout)");
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

// The oldest part of the log that may have commits which nobody sees yet. After a crash the server
// completes what it has logged and not committed in the tables: from which file on that may be, it
// says at the beginning of each file, and it keeps that file as long as it is so.
mariadb::LogFile oldest_unseen(mariadb::Connection& connection, const mariadb::LogFile& newest,
                               const CallContext& context) {
  const auto head = connection.ask(
      "SHOW BINLOG EVENTS IN " + connection.literal(newest.name()) + " LIMIT 10", context);
  for (const auto& event : head) {
    if (event.size() < 6 || event[2] != "Binlog_checkpoint") continue;
    mariadb::LogFile file(event[5].value_or(""));
    while (file.number < newest.number && !place_of(connection, file, LogPlace::kBegin, context)) {
      ++file.number;
    }
    return file;
  }
  throw StoreError(connection.server().name + ": does not say from where " + newest.name() +
                   " is to be recovered");
}

}  // namespace

bool MariadbChanges::Stream::hand_over_unseen(const BatchConsumer& consumer,
                                              const CallContext& context) const {
  mariadb::Connection connection(server, context);
  mariadb::require_run(connection, run, context);
  const auto status = connection.ask("SHOW MASTER STATUS", context);
  if (status.empty() || status[0].size() < 2) throw StoreError(server.name + ": has no log");
  const mariadb::LogFile last(status[0][0].value_or(""));
  const std::uint64_t end = offset_in(connection, status[0][1].value_or(""));
  const mariadb::LogFile first = oldest_unseen(connection, last, context);
  mariadb::BinlogStream part(
      server, run,
      [rows = mariadb::UnseenRows(table, form, first, last, end)](
          std::string_view packet, mariadb::LoggedChanges& read) mutable {
        rows.read(packet, read);
      },
      first.name(), LogPlace::kBegin, context);
  for (mariadb::LoggedChanges unseen; !unseen.position;) {
    const bool has_come = part.take(unseen, Clock::now() + kTakeFor, context);
    if (!has_come && context.is_over()) {
      throw CallAborted(server.name + ": the caller's time is over");
    }
    // Also none, as it takes a while to read a log, and the consumer has other things to do.
    const auto keys = unseen.keys.keys();
    if (!consumer({.keys = keys, .lines = {}, .first_record = 1, .byte_count = 0})) return false;
  }
  return true;
}

bool MariadbChanges::start(const std::optional<Watermark>& from, const CallContext& context) {
  stream_.reset();
  Session session(location_, context);
  const auto check_table = [&](const mariadb::Table& table) {
    const std::string problem = mariadb::logged_key_problem(table.key_column());
    if (!problem.empty()) refuse_followed(location_, table.key_name() + " " + problem);
    check_row_image(session.connection, table.key_column(), context);
    check_cascades(session.connection, table, context);
  };
  check_log(session.connection, context);
  check_table(session.table);

  const mariadb::History::Now now = session.history.ask(session.connection, context);
  const KeyForm form{options_.keys.encoding, options_.keys.normalise};
  const auto begin = [&](const mariadb::Table& table, const LogPlace& at, std::uint64_t known,
                         const Identity& identity) {
    mariadb::BinlogReader reader(table, form, at.state, at.file, known, options_.tells_touched);
    stream_ = std::make_unique<Stream>(session, table, form, std::move(reader), at.file.name(),
                                       at.offset, identity, context);
  };
  const Watermark now_at = now.watermark();
  const bool may_go_on =
      from && !has_changed_ && from->source == now_at.source && from->position <= now_at.position;
  if (may_go_on) {
    // From the beginning of the very file in which the filter stands: whatever is not in order
    // behind it stops the reader.
    mariadb::LogFile file = now.file;
    file.number = mariadb::LogPosition::file(from->position);
    const auto at = place_of(session.connection, file, LogPlace::kBegin, context);
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
  const VisibleState seen = visible_state(session.connection, context);
  // The table as it is behind that moment: what was altered before it does not come any more.
  const auto table = mariadb::describe_table(session.connection, location_.selection, context);
  const mariadb::History checked_again(session.connection, table, context);
  check_table(table);
  begin(table, seen.begin, mariadb::LogPosition::of(seen.state.sum(), seen.begin.file.number),
        now.identity_with(seen.state));
  return false;
}

SourceTotals MariadbChanges::scan(const BatchConsumer& consumer, const CallContext& context) {
  if (stream_ == nullptr) throw std::logic_error("MariadbChanges::scan before start");
  if (stream_->has_handed) {
    // Into another filter, and maybe before anybody could see it.
    mariadb::Connection connection(stream_->server, context);
    mariadb::require_run(connection, stream_->run, context);
    wait_until_visible(connection, context);
  }
  if (!stream_->hand_over_unseen(consumer, context)) return {};
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
  const Identity& source = stream_->source;
  mariadb::LoggedChanges& changes = stream_->changes;
  bool& is_taken = stream_->is_taken;
  try {
    if (!is_taken) {
      stream_->look_for_reset(context);
      is_taken = stream_->log.take(changes, CallContext::Clock::now() + patience, context);
    }
  } catch (const SourceChanged& changed) {
    has_changed_ = true;
    throw SourceChanged(location_.name() + ": " + changed.what());
  }
  if (!is_taken) {
    if (context.is_over()) throw CallAborted(location_.name() + ": the caller's time is over");
    return;
  }
  Changes handed{.keys = changes.keys.keys(),
                 .deleted_count = changes.deleted_count,
                 .touched = changes.touched.keys(),
                 .untold_count = changes.untold_count,
                 .has_open = changes.is_open};
  if (changes.position) handed.watermark = {source, *changes.position};
  if (changes.end) handed.ended = {&*changes.end, 1};
  stream_->has_handed = true;
  consumer(handed);
  is_taken = false;
}

// What the server says of a snapshot is true of all but the last commits before a file of the log,
// or a checkpoint (hand_over_unseen).
void MariadbChanges::drop_seen(std::vector<std::uint64_t>& ended, const CallContext& context) {
  if (stream_ == nullptr) throw std::logic_error("MariadbChanges::drop_seen before start");
  mariadb::Connection connection(stream_->server, context);
  mariadb::require_run(connection, stream_->run, context);
  const VisiblePlace seen = visible_place(connection, context);
  const std::uint64_t place = mariadb::log_place(seen.file.number, seen.offset);
  std::erase_if(ended, [&](std::uint64_t end) { return end <= place; });
}

}  // namespace bloomery
