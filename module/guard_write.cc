// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <vector>

#include "module/guard_arguments.h"
#include "module/guard_clock.h"
#include "module/guard_entries.h"
#include "module/guard_filter.h"
#include "module/guard_server.h"
#include "module/guard_verbs.h"
#include "module/guard_waits.h"

namespace bloomery::module {
namespace {

constexpr std::size_t kMostMarks = 1000;
constexpr std::size_t kPutWords = 5;

// One row of a put: lease, V or N, life, refresh after (0: never), value. The reply: 1, 0, or why
// it was not written.
std::string put_row(GuardServer& server, const GuardArguments& arguments, std::size_t row) {
  const std::size_t at = kPutWords * row;
  const bool is_value = arguments[at + 1] == "V";
  const auto after = parse_life(arguments[at + 3], 0);
  if (!parse_life(arguments[at + 2], 1) || !after || (!is_value && arguments[at + 1] != "N")) {
    throw Refusal("GUARD put: wrong arguments");
  }
  if (!holds_lease(server, arguments.lease(row), arguments[at])) return "0";
  std::string text = "N";
  if (is_value) {
    text = "V" + moment_digits(*after > 0 ? guard_now_ms() + *after : 0);
    text += arguments[at + 4];
  }
  ServerWords words = server.words();
  words.add(arguments.entry(row)).add(text).add("PX").add(arguments.raw(at + 2));
  const ServerReply set = server.try_write("SET", words);
  const std::string error(set.is_error() ? set.text().value_or("") : std::string_view());
  delete_guard_string(server, arguments.lease(row));
  lease_changed(server.context(), arguments.lease_name(row));
  return set.is_error() ? "GUARD " + error : "1";
}

// Marks a row as about to be inserted, until `till`. Whether the token's mark held until now.
bool announce_row(GuardServer& server, const GuardArguments& arguments, std::size_t row,
                  std::int64_t till, std::int64_t now) {
  String* const lease = arguments.lease(row);
  ServerWords names = server.words();
  const ServerReply strings = server.read("MGET", names.add(arguments.entry(row)).add(lease));
  const auto entry = strings[0].text();
  if (entry && !entry->starts_with('V')) delete_guard_string(server, arguments.entry(row));
  const GuardMarks marks = marks_of(strings[1].text(), arguments[4], now);
  if (marks.count >= kMostMarks) {
    throw Refusal("GUARD announce: too many writers of one key");
  }
  const std::string mark = std::string(arguments[4]) + moment_digits(till);
  write_marks(server, lease, marks.others + mark, std::max(marks.last, till) - now);
  lease_changed(server.context(), arguments.lease_name(row));
  return marks.has_own;
}

}  // namespace

// GUARD.PUT numkeys key [key ...] id V|N life refresh value [id V|N life refresh value ...]
void guard_put(Call& call) {
  const GuardArguments arguments(call);
  require_primary(call);
  if (arguments.size() != kPutWords * arguments.row_count()) {
    throw Refusal("GUARD put: wrong arguments");
  }
  GuardServer server(call.context());
  std::vector<std::string> done;
  for (std::size_t i = 0; i < arguments.row_count(); ++i) {
    done.push_back(put_row(server, arguments, i));
  }
  call.reply_array(done.size());
  for (const std::string& each : done) {
    if (each.size() == 1) {
      call.reply_number(each == "1" ? 1 : 0);
    } else {
      call.reply_bytes(each);
    }
  }
}

// GUARD.DROP numkeys key [key ...] id [id ...]
void guard_drop(Call& call) {
  const GuardArguments arguments(call);
  require_primary(call);
  GuardServer server(call.context());
  std::int64_t dropped = 0;
  for (std::size_t i = 0; i < arguments.row_count(); ++i) {
    if (!holds_lease(server, arguments.lease(i), arguments[i])) continue;
    dropped += delete_guard_string(server, arguments.lease(i));
    lease_changed(call.context(), arguments.lease_name(i));
  }
  call.reply_number(static_cast<std::uint64_t>(dropped));
}

// GUARD.ANNOUNCE numkeys key [key ...] family "" "" "" token life item [item ...]
void guard_announce(Call& call) {
  const GuardArguments arguments(call);
  require_primary(call);
  const auto life = parse_life(arguments[5], 1);
  if (arguments.size() != GuardArguments::kFirstItem + arguments.row_count() || !life ||
      arguments[4].size() != kGuardTokenSize) {
    throw Refusal("GUARD announce: wrong arguments");
  }
  GuardServer server(call.context());
  if (arguments.filter() != nullptr) {
    insert_into_guard_filter(server, arguments, GuardArguments::kFirstItem, arguments.row_count());
  }
  const std::int64_t now = guard_now_ms();
  const std::int64_t till = now + *life;
  std::vector<bool> held;
  for (std::size_t i = 0; i < arguments.row_count(); ++i) {
    held.push_back(announce_row(server, arguments, i, till, now));
  }
  call.reply_array(1 + held.size());
  call.reply_number(static_cast<std::uint64_t>(till));
  for (const bool each : held) call.reply_number(each ? 1 : 0);
}

// GUARD.ERASE numkeys key [key ...] token
void guard_erase(Call& call) {
  const GuardArguments arguments(call);
  require_primary(call);
  GuardServer server(call.context());
  const std::int64_t now = guard_now_ms();
  std::int64_t erased = 0;
  for (std::size_t i = 0; i < arguments.row_count(); ++i) {
    String* const lease = arguments.lease(i);
    const auto held = guard_string(server, lease);
    erased += delete_guard_string(server, arguments.entry(i));
    const GuardMarks marks = marks_of(held, arguments[0], now);
    if (marks.count == 0) {
      delete_guard_string(server, lease);
    } else {
      write_marks(server, lease, marks.others, marks.last - now);
    }
    lease_changed(call.context(), arguments.lease_name(i));
  }
  call.reply_number(static_cast<std::uint64_t>(erased));
}

// GUARD.INSERT 1 filter family item [item ...]
void guard_insert(Call& call) {
  const GuardArguments arguments(call);
  require_primary(call);
  if (arguments.key_count() != 1 || arguments.size() < 2) {
    throw Refusal("GUARD insert: wrong arguments");
  }
  GuardServer server(call.context());
  insert_into_guard_filter(server, arguments, 1, arguments.size() - 1);
  call.reply_number(arguments.size() - 1);
}

}  // namespace bloomery::module
