// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/postgres/replication.h"

#include <array>
#include <charconv>

#include "bloomery/errors.h"
#include "bloomery/place/fence_source.h"
#include "bloomery/source/postgres/wire_reader.h"

namespace bloomery::postgres {
namespace {

constexpr std::chrono::seconds kTellEvery{10};
// A server that shuts down asks again and again, and waits until all that it sent is confirmed.
// Where the filter cannot keep it now, the server is not to wait for that.
constexpr std::chrono::seconds kShutdownPatience{3};
constexpr std::chrono::seconds kPauseBetweenQuestions{1};

std::uint64_t read_lsn(const Connection& connection, std::string_view text) {
  std::uint32_t high = 0;
  std::uint32_t low = 0;
  const char* const end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, high, 16);
  const bool has_low = first.ec == std::errc() && first.ptr != end && *first.ptr == '/';
  if (has_low && std::from_chars(first.ptr + 1, end, low, 16).ptr == end) {
    return static_cast<std::uint64_t>(high) << 32 | low;
  }
  throw StoreError(connection.name() + ": the server named no position of its log");
}

void put_u64(std::string& bytes, std::uint64_t value) {
  for (int shift = 56; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift & 0xff);
}

// Returns whether an SQLSTATE says that a slot or publication is gone or invalidated, or that a row
// is no UTF-8, which the slot would send each time.
bool needs_new_slot(std::string_view state) {
  for (const std::string_view each : {"42704", "55000", "58P01", "42P01", "22021", "22P05"}) {
    if (state == each) return true;
  }
  return false;
}

}  // namespace

Replication::Replication(const ServerLocation& location, const ServerRun& run,
                         const CallContext& context)
    : connection_(location, Connection::Kind::replication, context) {
  connection_.end_with_asker(context);
  require_run(connection_, run, context);
}

std::uint64_t Replication::create_slot(const std::string& name, bool is_temporary,
                                       const CallContext& context) {
  // Does the work of CREATE_REPLICATION_SLOT. That command would not notice that its client has
  // gone while it waits for transactions to end.
  const Result made = connection_.query(
      "SELECT slot_name, lsn FROM pg_create_logical_replication_slot(" + quoted_text(name) +
          ", 'pgoutput', " + (is_temporary ? "true" : "false") + ")",
      context);
  if (made.rows() != 1) connection_.fail("no slot was made");
  const std::uint64_t from = read_lsn(connection_, made.at(0, 1));
  is_temporary_ = is_temporary;
  return from;
}

void Replication::start(const std::string& slot, std::uint64_t from, const std::string& publication,
                        const CallContext& context) {
  const std::string statement =
      "START_REPLICATION SLOT " + quoted_name(slot) + " LOGICAL " + lsn_text(from) +
      " (proto_version '2', streaming 'on', publication_names '" + quoted_name(publication) + "')";
  const Result begun = connection_.query(statement, context);
  if (PQresultStatus(begun.get()) != PGRES_COPY_BOTH) connection_.fail("no changes come");
  confirmed_ = from;
}

ReplicationMessage Replication::next(const CallContext& context) {
  if (!connection_.is_open()) {
    throw StoreError(connection_.name() + ": the connection was closed after a failure");
  }
  char* bytes = nullptr;
  int length = PQgetCopyData(connection_.handle(), &bytes, 1);
  if (length == 0) {
    // Takes what has come since, without waiting.
    if (!connection_.wait_for_input(CallContext::Clock::now(), context)) return {};
    length = PQgetCopyData(connection_.handle(), &bytes, 1);
  }
  bytes_.reset(bytes);
  if (length == 0) return {};
  if (length < 0) fail_as_said(context);
  WireReader in({bytes, static_cast<std::size_t>(length)});
  const std::uint8_t type = in.u8();
  if (type == 'k') {
    const std::uint64_t end = in.u64();
    in.u64();
    if (in.u8() != 0) answer(end, context);
    return {.kind = ReplicationMessage::Kind::position, .end_lsn = end};
  }
  if (type != 'w') throw FormatError(connection_.name() + ": sends what is no change");
  in.u64();
  in.u64();
  in.u64();
  return {.kind = ReplicationMessage::Kind::data, .data = in.bytes(in.left())};
}

void Replication::confirm(std::uint64_t lsn, const CallContext& context) {
  if (lsn <= confirmed_) return;
  confirmed_ = lsn;
  tell(confirmed_, context);
}

void Replication::tell_now_and_then(const CallContext& context) {
  if (CallContext::Clock::now() - told_ >= kTellEvery) tell(confirmed_, context);
}

// The position that the filter keeps, and nothing of what was only read: so the server answers with
// its own whenever that is further, and a quiet table has a watermark.
void Replication::tell(std::uint64_t lsn, const CallContext& context) {
  if (!connection_.is_open()) return;
  std::string message = "r";
  for (int i = 0; i < 3; ++i) put_u64(message, lsn);  // written, flushed, applied
  put_u64(message, 0);                                // no clock of ours
  message += '\0';
  if (PQputCopyData(connection_.handle(), message.data(), static_cast<int>(message.size())) < 0) {
    connection_.fail("the connection is lost");
  }
  connection_.flush(context);
  told_ = CallContext::Clock::now();
}

void Replication::answer(std::uint64_t end_lsn, const CallContext& context) {
  const auto now = CallContext::Clock::now();
  if (now - asked_ > kPauseBetweenQuestions) first_asked_ = now;
  asked_ = now;
  if (now - first_asked_ > kShutdownPatience) {
    const std::string name = connection_.name();
    connection_.close();
    throw StoreError(name + ": the server shuts down");
  }
  // A temporary slot is gone with the connection: nobody ever asks what it had confirmed.
  tell(is_temporary_ ? end_lsn : confirmed_, context);
}

void Replication::fail_as_said(const CallContext& context) {
  const Result said = connection_.next_result(context);
  if (!said || said.sql_state().empty()) connection_.fail("the changes broke off");
  const std::string state(said.sql_state());
  connection_.close();
  try {
    connection_.refuse(said, "the changes broke off");
  } catch (const StoreError& error) {
    if (needs_new_slot(state)) throw SourceChanged(error.what());
    throw;
  }
}

std::string lsn_text(std::uint64_t lsn) {
  std::array<char, 20> text{};
  char* at = std::to_chars(text.data(), text.data() + 8, lsn >> 32, 16).ptr;
  *at++ = '/';
  at = std::to_chars(at, text.data() + text.size(), lsn & 0xffffffff, 16).ptr;
  return {text.data(), at};
}

}  // namespace bloomery::postgres
