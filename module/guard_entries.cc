// SPDX-License-Identifier: Apache-2.0
#include "module/guard_entries.h"

#include <algorithm>
#include <utility>

#include "module/guard_clock.h"

namespace bloomery::module {
namespace {

constexpr std::size_t kMarkSize = kGuardTokenSize + kGuardMomentSize;

}  // namespace

std::vector<GuardAnswer> GuardReader::answers() {
  const std::size_t rows = arguments_.row_count();
  std::vector<GuardAnswer> all(rows, {.what = "absent", .presence = GuardPresence::absent});
  const auto presences = ask_guard_filter(server_, arguments_, GuardArguments::kFirstItem, rows);
  if (std::ranges::count(presences, GuardPresence::absent) == static_cast<std::ptrdiff_t>(rows)) {
    return all;
  }
  ServerWords names = server_.words();
  for (std::size_t i = 0; i < rows; ++i) {
    names.add(arguments_.entry(i)).add(arguments_.lease(i));
  }
  const ServerReply strings = server_.read("MGET", names);
  for (std::size_t i = 0; i < rows; ++i) {
    if (presences[i] == GuardPresence::absent) continue;
    all[i] = answer(i, presences[i], strings[2 * i].text().value_or(std::string_view()),
                    strings[2 * i + 1].text());
  }
  return all;
}

GuardAnswer GuardReader::answer(std::size_t row, GuardPresence presence, std::string_view entry,
                                std::optional<std::string_view> lease) {
  GuardAnswer said{.presence = presence};
  const auto moment =
      entry.starts_with('V') ? parse_moment(entry.substr(1, kGuardMomentSize)) : std::nullopt;
  if (moment) {
    said.what = "value";
    said.value = entry.substr(1 + kGuardMomentSize);
    const bool is_due = *moment > 0 && !lease && may_take_ && guard_now_ms() >= *moment;
    if (is_due) said.id = take(row).value_or("");
    return said;
  }
  said.what = "open";
  if (lease && !lease->starts_with('L')) {
    said.why = "announced";
  } else if (entry == "N" && !arguments_[3].empty()) {
    said.why = "fence";
  } else if (entry == "N") {
    said.what = "none";
  } else if (lease || !may_take_) {
    return wait_for(row, std::move(said), lease.value_or(std::string_view()));
  } else if (auto id = take(row)) {
    said.what = "lease";
    said.id = std::move(*id);
  } else {
    said.why = "refused";
  }
  return said;
}

GuardAnswer GuardReader::wait_for(std::size_t row, GuardAnswer said, std::string_view lease) {
  if (!lease.empty() && lease.substr(1, kGuardTokenSize) == arguments_[4]) {
    said.what = "lease";
    said.id = lease.substr(1);
    return said;
  }
  said.what = "wait";
  said.wait_ms = 1;
  said.held_by_other = lease;
  if (lease.empty()) return said;
  ServerWords name = server_.words();
  said.wait_ms = server_.read("PTTL", name.add(arguments_.lease(row))).number().value_or(1);
  if (said.wait_ms < 0) {  // no lease of a guard lives for ever
    said.wait_ms = parse_life(arguments_[5], 1).value_or(1);
    ServerWords life = server_.words();
    if (may_take_) server_.write("PEXPIRE", life.add(arguments_.lease(row)).add(arguments_[5]));
  }
  return said;
}

// The server's time makes the leases of each request others, also of one that comes twice.
std::optional<std::string> GuardReader::take(std::size_t row) {
  if (moment_.empty()) moment_ = next_lease_moment();
  std::string id = std::string(arguments_[4]) + moment_;
  ServerWords words = server_.words();
  words.add(arguments_.lease(row)).add("L" + id).add("NX").add("PX").add(arguments_[5]);
  const ServerReply done = server_.try_write("SET", words);
  if (done.type() != ReplyType::text) return std::nullopt;
  return id;
}

GuardMarks marks_of(std::optional<std::string_view> lease, std::string_view token,
                    std::int64_t now_ms) {
  GuardMarks marks;
  if (!lease || !lease->starts_with('O')) return marks;
  for (std::size_t at = 1; at + kMarkSize <= lease->size(); at += kMarkSize) {
    const auto mark = lease->substr(at, kMarkSize);
    const auto moment = parse_moment(mark.substr(kGuardTokenSize));
    if (!moment || *moment <= now_ms) continue;
    if (mark.substr(0, kGuardTokenSize) == token) {
      marks.has_own = true;
    } else {
      marks.others += mark;
      marks.last = std::max(marks.last, *moment);
      ++marks.count;
    }
  }
  return marks;
}

void write_marks(GuardServer& server, String* lease, std::string_view marks, std::int64_t life_ms) {
  ServerWords words = server.words();
  words.add(lease).add("O" + std::string(marks)).add("PX").add(std::to_string(life_ms));
  server.write("SET", words);
}

std::optional<std::string> guard_string(GuardServer& server, String* key) {
  ServerWords words = server.words();
  const ServerReply reply = server.read("MGET", words.add(key));
  const auto text = reply[0].text();
  if (!text) return std::nullopt;
  return std::string(*text);
}

bool holds_lease(GuardServer& server, String* lease, std::string_view id) {
  return guard_string(server, lease) == "L" + std::string(id);
}

std::int64_t delete_guard_string(GuardServer& server, String* key) {
  ServerWords words = server.words();
  return server.write("DEL", words.add(key)).number().value_or(0);
}

}  // namespace bloomery::module
