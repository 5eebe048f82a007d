// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/postgres/postgres_connection.h"

#include <poll.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <stdexcept>
#include <utility>
#include <vector>

#include "bloomery/errors.h"
#include "bloomery/place/stop_alarm.h"
#include "bloomery/source/source_identity.h"
#include "bloomery/source/sql_quotes.h"
#include "bloomery/text/hex_word.h"
#include "bloomery/text/printable.h"

namespace bloomery::postgres {
namespace {

using Clock = CallContext::Clock;

constexpr int kOldestVersion = 140000;  // streams open transactions
// How soon a requested stop is noticed.
constexpr std::chrono::milliseconds kLook{50};
constexpr std::chrono::seconds kConnectTime{15};

// The settings that a location may have behind its ?, by libpq's names.
constexpr std::array<std::string_view, 14> kSettings{
    "host",       "hostaddr",  "sslmode", "sslrootcert", "sslcert",         "sslkey",
    "sslcrl",     "passfile",  "service", "options",     "connect_timeout", "channel_binding",
    "gssencmode", "krbsrvname"};
// The settings behind the ? that are ours (PostgresOptions).
constexpr std::array<std::string_view, 1> kOwnSettings{"updates"};

// Two sessions that print one value in two ways would know two keys.
constexpr std::string_view kSession =
    " -c DateStyle=ISO -c IntervalStyle=postgres -c TimeZone=UTC -c extra_float_digits=1"
    " -c bytea_output=hex -c row_security=off -c default_transaction_deferrable=off";
// A reader of changes that says nothing for a minute is gone, and what the server keeps for it is
// freed. Large transactions come while they are open, instead of filling the server's disk. Making
// a slot waits for all who write, be that longer than the user's statements may take.
constexpr std::string_view kReplication =
    " -c logical_decoding_work_mem=1MB -c wal_sender_timeout=60s -c statement_timeout=0";

std::string without_line_end(std::string_view text) {
  const std::size_t end = text.find_last_not_of(" \r\n");
  std::string line(text.substr(0, end == std::string_view::npos ? 0 : end + 1));
  for (std::size_t at; (at = line.find("\n\t")) != std::string::npos;) line.replace(at, 2, ": ");
  std::ranges::replace(line, '\n', ' ');
  return line;
}

void check_settings(const ServerLocation& location) {
  if (!location.host.empty() && location.settings.contains("host")) {
    throw std::invalid_argument(location.name() + ": names a host twice; a server has one address");
  }
  for (const auto& [name, value] : location.settings) {
    if (std::ranges::find(kSettings, name) != kSettings.end()) continue;
    if (std::ranges::find(kOwnSettings, name) != kOwnSettings.end()) continue;
    std::string allowed;
    for (const std::string_view known : kSettings) allowed += std::string(known) + ", ";
    for (const std::string_view known : kOwnSettings) allowed += std::string(known);
    throw std::invalid_argument(location.name() + ": has a setting " + printable(name) +
                                " that means nothing; allowed: " + allowed);
  }
}

struct Settings {
  std::vector<const char*> names;
  std::vector<std::string> values;

  void add(const char* name, std::string value) {
    if (value.empty()) return;
    names.push_back(name);
    values.push_back(std::move(value));
  }
};

Settings settings_of(const ServerLocation& location, Connection::Kind kind) {
  Settings all;
  all.add("host", location.host);
  if (location.port != 0) all.add("port", std::to_string(location.port));
  all.add("user", location.user);
  all.add("password", location.password);
  all.add("dbname", location.database);
  all.add("client_encoding", "UTF8");
  all.add("fallback_application_name", "bloomery");
  all.add("keepalives_idle", "15");
  all.add("keepalives_interval", "5");
  all.add("keepalives_count", "3");
  std::string options;
  for (const auto& [name, value] : location.settings) {
    const auto* const known = std::ranges::find(kSettings, name);
    if (name == "options") options = value;
    if (known != kSettings.end() && name != "options") all.add(known->data(), value);
  }
  options += kSession;
  if (kind == Connection::Kind::replication) {
    options += kReplication;
    all.add("replication", "database");
  }
  all.add("options", options);
  return all;
}

}  // namespace

std::uint64_t Result::number(int row, int column) const {
  const std::string_view text = at(row, column);
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    throw StoreError("the server answered " + printable(text) + " where a number belongs");
  }
  return value;
}

std::string_view Result::sql_state() const noexcept {
  const char* const state = PQresultErrorField(result_.get(), PG_DIAG_SQLSTATE);
  return state == nullptr ? std::string_view() : state;
}

Connection::Connection(const ServerLocation& location, Kind kind, const CallContext& context)
    : name_(location.name()) {
  check_settings(location);
  const Settings all = settings_of(location, kind);
  std::vector<const char*> names = all.names;
  std::vector<const char*> values;
  for (const std::string& value : all.values) values.push_back(value.c_str());
  names.push_back(nullptr);
  values.push_back(nullptr);
  connection_.reset(PQconnectStartParams(names.data(), values.data(), 0));
  if (connection_ == nullptr) throw std::bad_alloc();
  require_words_of(location);
  PQsetNoticeProcessor(
      handle(), [](void*, const char*) {}, nullptr);
  CallContext limited = context;
  limited.deadline = std::min(context.deadline, Clock::now() + kConnectTime);
  PostgresPollingStatusType state = PGRES_POLLING_WRITING;
  while (PQstatus(handle()) != CONNECTION_BAD && state != PGRES_POLLING_OK) {
    try {
      wait_for_socket(state == PGRES_POLLING_READING ? POLLIN : POLLOUT, CallContext::kNever,
                      limited);
    } catch (const CallAborted&) {
      if (context.is_over()) throw;
      throw StoreError(name_ + ": no connection within " + std::to_string(kConnectTime.count()) +
                       " s");
    }
    state = PQconnectPoll(handle());
    if (state == PGRES_POLLING_FAILED) break;
  }
  if (PQstatus(handle()) != CONNECTION_OK) fail("cannot connect");
  if (version() < kOldestVersion) {
    const std::string found = std::to_string(version() / 10000);
    close();
    throw StoreError(name_ + ": the server is PostgreSQL " + found + "; allowed: 14 and later");
  }
  if (PQsetnonblocking(handle(), 1) != 0) fail("cannot use the connection");
  // PGDATESTYLE and PGTZ are asked for behind the options.
  if (!says("DateStyle", "ISO") || !says("TimeZone", "UTC")) {
    query("SET DateStyle = ISO; SET TimeZone = UTC", context);
    if (!says("DateStyle", "ISO") || !says("TimeZone", "UTC")) {
      fail("the server prints dates in another way than was asked for");
    }
  }
}

bool Connection::says(const char* parameter, std::string_view value) const {
  const char* const said = PQparameterStatus(connection_.get(), parameter);
  return said != nullptr && std::string_view(said).starts_with(value);
}

// Throws std::invalid_argument if the environment or a service gives an address that libpq would
// take in the place of the host that the location names. They may only say what the location leaves
// open.
void Connection::require_words_of(const ServerLocation& location) {
  const std::unique_ptr<PQconninfoOption, decltype((PQconninfoFree))> all(PQconninfo(handle()),
                                                                          PQconninfoFree);
  if (all == nullptr) return;
  const auto setting = [&](std::string_view name) -> std::string {
    const auto found = location.settings.find(std::string(name));
    return found == location.settings.end() ? "" : found->second;
  };
  const bool names_host = !location.host.empty() || !setting("host").empty();
  const std::string address = setting("hostaddr");
  for (const PQconninfoOption* each = all.get(); each->keyword != nullptr; ++each) {
    if (each->keyword != std::string_view("hostaddr") || each->val == nullptr) continue;
    if (!names_host || *each->val == '\0' || address == each->val) return;
    const std::string found = each->val;
    close();
    throw std::invalid_argument(name_ + ": PGHOSTADDR or a service says " + found +
                                ", which libpq would ask in the place of the host; unset it, or "
                                "say hostaddr=ADDRESS in the location");
  }
}

Result Connection::query(const std::string& sql, const CallContext& context) {
  return checked(try_query(sql, context), "");
}

Result Connection::try_query(const std::string& sql, const CallContext& context) {
  need_open();
  if (PQsendQuery(handle(), sql.c_str()) == 0) fail("cannot ask");
  return only_result(context);
}

Result Connection::query(const std::string& sql, Parameters parameters,
                         const CallContext& context) {
  std::vector<std::string> texts(parameters.begin(), parameters.end());
  std::vector<const char*> values;
  for (const std::string& text : texts) values.push_back(text.c_str());
  return checked(try_query(sql, values, context), "");
}

Result Connection::try_query(const std::string& sql, std::span<const char* const> values,
                             const CallContext& context) {
  need_open();
  if (PQsendQueryParams(handle(), sql.c_str(), static_cast<int>(values.size()), nullptr,
                        values.data(), nullptr, nullptr, 0) == 0) {
    fail("cannot ask");
  }
  return only_result(context);
}

Result Connection::try_prepare(const std::string& name, const std::string& sql,
                               const CallContext& context) {
  need_open();
  if (PQsendPrepare(handle(), name.c_str(), sql.c_str(), 0, nullptr) == 0) fail("cannot ask");
  return only_result(context);
}

Result Connection::try_prepared(const std::string& name, std::span<const char* const> values,
                                const CallContext& context) {
  need_open();
  if (PQsendQueryPrepared(handle(), name.c_str(), static_cast<int>(values.size()), values.data(),
                          nullptr, nullptr, 0) == 0) {
    fail("cannot ask");
  }
  return only_result(context);
}

void Connection::end_with_asker(const CallContext& context) {
  try_query("SET client_connection_check_interval = '500ms'", context);
}

bool Connection::wait_for_input(Clock::time_point until, const CallContext& context) {
  need_open();
  // The connection may have been lost while it was drained, and then has no socket to wait for.
  if (PQstatus(handle()) == CONNECTION_BAD) fail("the connection is lost");
  if (!wait_for_socket(POLLIN, until, context)) return false;
  if (PQconsumeInput(handle()) == 0) fail("the connection is lost");
  return true;
}

void Connection::flush(const CallContext& context) {
  need_open();
  while (true) {
    const int left = PQflush(handle());
    if (left < 0) fail("the connection is lost");
    if (left == 0) return;
    // A server that waits for us to read first, reads on once we did.
    wait_for_socket(POLLIN | POLLOUT, CallContext::kNever, context);
    if (PQconsumeInput(handle()) == 0) fail("the connection is lost");
  }
}

Result Connection::next_result(const CallContext& context) {
  flush(context);
  while (PQisBusy(handle()) != 0) wait_for_input(CallContext::kNever, context);
  return Result(PQgetResult(handle()));
}

void Connection::fail(const std::string& what) {
  const std::string why = without_line_end(PQerrorMessage(handle()));
  close();
  throw StoreError(name_ + ": " + what + (why.empty() ? "" : ": " + why));
}

void Connection::refuse(const Result& result, const std::string& what) const {
  const char* const primary = PQresultErrorField(result.get(), PG_DIAG_MESSAGE_PRIMARY);
  std::string why = primary != nullptr ? primary : PQresultErrorMessage(result.get());
  if (const char* const hint = PQresultErrorField(result.get(), PG_DIAG_MESSAGE_HINT)) {
    why += std::string("; ") + hint;
  }
  throw StoreError(name_ + ": " + what + (what.empty() ? "" : ": ") + without_line_end(why));
}

bool Connection::wait_for_socket(short events, Clock::time_point until,
                                 const CallContext& context) {
  while (true) {
    if (context.is_over()) {
      close();
      throw CallAborted(name_ + ": no answer in time");
    }
    auto look_again = std::min(until, context.deadline);
    if (context.stop.stop_possible()) look_again = std::min(look_again, Clock::now() + kLook);
    pollfd one{PQsocket(handle()), events, 0};
    if (poll(&one, 1, poll_time_until(look_again)) > 0) return true;
    if (Clock::now() >= until) return false;
  }
}

Result Connection::only_result(const CallContext& context) {
  Result last;
  while (Result result = next_result(context)) {
    last = std::move(result);
    const auto status = PQresultStatus(last.get());
    // COPY ends by itself only once somebody reads what it brings.
    if (status == PGRES_COPY_OUT || status == PGRES_COPY_BOTH || status == PGRES_COPY_IN) break;
  }
  if (!is_open() || PQstatus(handle()) == CONNECTION_BAD) fail("the connection is lost");
  if (!last) fail("no answer");
  return last;
}

Result Connection::checked(Result result, const char* what) const {
  const auto status = PQresultStatus(result.get());
  if (status == PGRES_FATAL_ERROR || status == PGRES_BAD_RESPONSE ||
      status == PGRES_NONFATAL_ERROR) {
    refuse(result, what);
  }
  return result;
}

void Connection::need_open() const {
  if (!is_open()) throw StoreError(name_ + ": the connection was closed after a failure");
}

PreparedStatement::PreparedStatement(Connection& connection, std::string sql,
                                     const CallContext& context)
    : sql_(std::move(sql)), name_("bloomery_" + hex_word(identity_of({sql_}).low)) {
  constexpr std::string_view kIsThere = "42P05";
  const Result made = connection.try_prepare(name_, sql_, context);
  if (made.sql_state().empty() || made.sql_state() == kIsThere) return;
  connection.refuse(made, "");
}

Result PreparedStatement::try_run(Connection& connection, std::span<const char* const> values,
                                  const CallContext& context) {
  constexpr std::string_view kIsUnknown = "26000";
  if (is_known_) {
    Result answer = connection.try_prepared(name_, values, context);
    if (answer.sql_state() != kIsUnknown) return answer;
    is_known_ = false;
  }
  return connection.try_query(sql_, values, context);
}

std::string quoted_name(std::string_view name) {
  return in_sql_quotes(name, '"');
}

std::string quoted_text(std::string_view text) {
  std::string quoted = " E'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') quoted += c;
    quoted += c;
  }
  return quoted + '\'';
}

}  // namespace bloomery::postgres
