// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/mariadb/log_place.h"

#include <charconv>
#include <chrono>
#include <string>
#include <thread>

#include "bloomery/errors.h"

namespace bloomery::mariadb {
namespace {

// A commit that waits for a replica (rpl_semi_sync_master_wait_point=AFTER_SYNC) may take as long.
constexpr std::chrono::seconds kVisiblePatience{60};

// A server that goes from file to file names the next one before it has begun it, or with an offset
// in the last one, and files may be purged meanwhile: for so long it is asked again where it is.
constexpr std::chrono::seconds kNamingPatience{10};
constexpr std::chrono::milliseconds kBetweenQuestions{5};

}  // namespace

std::optional<LogPlace> place_of(Connection& connection, const LogFile& file, std::uint64_t offset,
                                 const CallContext& context) {
  const auto rows = connection.ask("SELECT BINLOG_GTID_POS(" + connection.literal(file.name()) +
                                       ", " + std::to_string(offset) + ")",
                                   context);
  if (rows.empty() || !rows[0][0]) return std::nullopt;
  return LogPlace{file, static_cast<std::uint32_t>(offset), GtidState(*rows[0][0])};
}

std::uint64_t offset_in(const Connection& connection, std::string_view text) {
  std::uint64_t offset = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), offset);
  if (error != std::errc() || end != text.data() + text.size()) {
    throw StoreError(connection.server().name + ": does not say where its log stands");
  }
  return offset;
}

VisiblePlace visible_place(Connection& connection, const CallContext& context) {
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
  return {LogFile(file), offset_in(connection, offset_text)};
}

VisibleState visible_state(Connection& connection, const CallContext& context) {
  const auto until = CallContext::Clock::now() + kNamingPatience;
  // A replica cannot name a place beyond that.
  constexpr std::uint64_t kFarthest = 0xffffffffU;
  while (true) {
    const VisiblePlace seen = visible_place(connection, context);
    const auto there = place_of(connection, seen.file, seen.offset, context);
    if (there && seen.offset <= kFarthest) return {there->state, *there};
    if (there) {
      const auto begin = place_of(connection, seen.file, LogPlace::kBegin, context);
      if (begin) return {there->state, *begin};
    }
    if (context.is_over() || CallContext::Clock::now() > until) {
      throw StoreError(connection.server().name + ": has lost " + seen.file.name() +
                       " of its log, " + std::to_string(seen.offset));
    }
    std::this_thread::sleep_for(kBetweenQuestions);
  }
}

bool wait_until_visible(Connection& connection, const std::function<bool()>& meanwhile,
                        const CallContext& context) {
  const GtidState wanted(connection.ask_one("SELECT @@global.gtid_binlog_pos", context));
  const auto until = CallContext::Clock::now() + kVisiblePatience;
  std::optional<VisiblePlace> last;
  while (true) {
    const VisiblePlace seen = visible_place(connection, context);
    // Costs the server as much as its log's file is long.
    if (seen != last) {
      const auto there = place_of(connection, seen.file, seen.offset, context);
      if (there && there->state.sum() >= wanted.sum()) return true;
      if (there) last = seen;
    }
    if (context.is_over() || CallContext::Clock::now() > until) {
      throw StoreError(connection.server().name +
                       ": a transaction stands in the log that nobody can see yet; it may wait for "
                       "a replica (rpl_semi_sync_master_timeout)");
    }
    if (!meanwhile()) return false;
    std::this_thread::sleep_for(kBetweenQuestions);
  }
}

// Returns the oldest file with what is logged and may not be committed in the tables. After a crash
// the server completes that: from which file on it may be, it says at the beginning of each file,
// and it keeps that file as long as it is so.
LogFile oldest_unseen(Connection& connection, const LogFile& newest, const CallContext& context) {
  const auto head = connection.ask(
      "SHOW BINLOG EVENTS IN " + connection.literal(newest.name()) + " LIMIT 10", context);
  for (const auto& event : head) {
    if (event.size() < 6 || event[2] != "Binlog_checkpoint") continue;
    LogFile file(event[5].value_or(""));
    while (file.number < newest.number && !place_of(connection, file, LogPlace::kBegin, context)) {
      ++file.number;
    }
    return file;
  }
  throw StoreError(connection.server().name + ": does not say from where " + newest.name() +
                   " is to be recovered");
}

}  // namespace bloomery::mariadb
