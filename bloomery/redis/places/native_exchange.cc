// SPDX-License-Identifier: Apache-2.0
#include "bloomery/redis/places/native_exchange.h"

#include <algorithm>
#include <utility>

#include "bloomery/redis/client/bitfield.h"
#include "bloomery/redis/client/transaction.h"
#include "bloomery/redis/places/lines.h"

namespace bloomery::redis {
namespace {

// Lines in between are read and written as they were, which costs less than two commands.
constexpr std::uint64_t kLargestGapRead = 8;
constexpr std::uint64_t kLinesReadAtOnce = 1024;
constexpr std::size_t kLooks = 7;  // WATCH, ECHO, ROLE, PTTL, STRLEN, the head, BITFIELD_RO

bool is_refused(std::span<const Reply> replies) {
  return std::ranges::any_of(replies,
                             [](const Reply& each) { return each.is(Reply::Type::error); });
}

}  // namespace

void NativeExchange::add(const KeyBits& bits) {
  for_each_line(bits, [&](std::uint64_t line, std::size_t at, std::size_t end) {
    lines_.push_back({line, std::span(bits.positions).subspan(at, end - at)});
  });
}

void NativeExchange::cut_into_runs() {
  std::ranges::sort(lines_, {}, &Line::number);
  for (std::size_t begin = 0; begin < lines_.size();) {
    const std::uint64_t first = lines_[begin].number;
    std::size_t end = begin + 1;
    while (end < lines_.size() && lines_[end].number - lines_[end - 1].number <= kLargestGapRead &&
           lines_[end].number - first < kLinesReadAtOnce) {
      ++end;
    }
    const std::uint64_t from = setup_.body_offset + first * kLineBytes;
    const std::uint64_t all = (lines_[end - 1].number - first + 1) * kLineBytes;
    runs_.push_back({.first_line = begin,
                     .behind_lines = end,
                     .from = from,
                     .byte_count = std::min(all, setup_.byte_count - from)});
    begin = end;
  }
}

Request NativeExchange::question() {
  cut_into_runs();
  first_nonce_ = next_nonce();
  Request request;
  request.about(setup_.key);
  request.add({"WATCH", setup_.key}).add({"ECHO", first_nonce_}).add({"ROLE"});
  request.add({"PTTL", setup_.key}).add({"STRLEN", setup_.key});
  request.add({"GETRANGE", setup_.key, "0", std::to_string(setup_.old_head.size() - 1)});
  append_bitfield(request, setup_.key, false, setup_.known, {});
  for (const Run& run : runs_) {
    const std::string from = std::to_string(run.from);
    const std::string last = std::to_string(run.from + run.byte_count - 1);
    request.add({"GETRANGE", setup_.key, from, last});
  }
  request.add({"MULTI"});
  return request;
}

bool NativeExchange::take(std::span<const Reply> replies) {
  if (is_refused(replies)) return false;
  const std::string name(setup_.name);
  if (!replies[1].is(Reply::Type::text) || replies[1].text != first_nonce_) {
    fail_answer(name, "another's answer");
  }
  if (!is_role(replies[2], "master")) return false;
  // Servers before 6.0.9 do not tell who watches a key that it has expired.
  if (!replies[3].is(Reply::Type::number)) fail_answer(name, "its time to live");
  if (replies[3].number >= 0) return false;
  if (length_in(replies[4], name) != setup_.byte_count) return false;
  const Reply& head = replies[5];
  if (!head.is(Reply::Type::text)) fail_answer(name, "its head");
  if (head.text != setup_.old_head) return false;
  std::vector<bool> none;
  read_bitfield(replies[6], setup_.known.size(), 0, known_bits_, none, name);

  if (!replies.back().is_status("OK")) fail_answer(name, "MULTI");
  nonce_ = next_nonce();
  writing_.add({"ECHO", nonce_}).add({"ROLE"});
  for (std::size_t i = 0; i < runs_.size(); ++i) {
    const Reply& old = replies[kLooks + i];
    if (!old.is(Reply::Type::text)) fail_answer(name, "its lines");
    // Gone since its length was asked: what watches it sees that, too.
    if (old.text.size() != runs_[i].byte_count) return false;
    const auto now = set_in(runs_[i], old.text);
    if (!now) continue;
    const std::string from = std::to_string(runs_[i].from);
    writing_.add({"SETRANGE", setup_.key, from, *now});
    ++write_count_;
  }
  writing_.add({"SETRANGE", setup_.key, "0", setup_.next_head});
  ++write_count_;
  if (has_note()) append_keep_step(writing_, setup_.key, *setup_.note, setup_.next_head);
  writing_.add({"EXEC"});
  return true;
}

std::optional<std::string> NativeExchange::set_in(const Run& run, std::string_view old) {
  std::string now(old);
  const std::uint64_t first = lines_[run.first_line].number;
  for (std::size_t i = run.first_line; i < run.behind_lines; ++i) {
    const std::size_t line = (lines_[i].number - first) * kLineBytes;
    for (const std::uint64_t position : lines_[i].bits) {
      const std::uint64_t bit = position % (8 * kLineBytes);
      char& byte = now[line + bit / 8];
      const auto set = static_cast<char>(static_cast<unsigned char>(byte) | 1U << bit % 8);
      if (set != byte) changed_.push_back(position);
      byte = set;
    }
  }
  if (now == old) return std::nullopt;
  return now;
}

Request NativeExchange::writing() {
  return std::move(writing_);
}

NativeExchange::Outcome NativeExchange::outcome(std::span<const Reply> replies) const {
  if (is_refused(replies)) return Outcome::refused;
  if (replies.back().is(Reply::Type::nil)) return Outcome::overtaken;
  const std::string name(setup_.name);
  const std::size_t note_count = has_note() ? 1 : 0;
  const auto& all = read_begun_exec(replies, 2 + write_count_ + note_count, nonce_, name);
  if (!is_role(all[1], "master")) return Outcome::refused;
  const auto written = std::span(all).subspan(2, write_count_);
  const bool is_done = std::ranges::all_of(written, [&](const Reply& each) {
    return each.is(Reply::Type::number) &&
           static_cast<std::uint64_t>(each.number) == setup_.byte_count;
  });
  return is_done ? Outcome::done : Outcome::refused;
}

}  // namespace bloomery::redis
