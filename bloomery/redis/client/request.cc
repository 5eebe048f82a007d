// SPDX-License-Identifier: Apache-2.0
#include "bloomery/redis/client/request.h"

#include <hiredis/hiredis.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <memory>
#include <new>
#include <string_view>
#include <vector>

namespace bloomery::redis {

using namespace std::string_view_literals;

namespace {

// Commands of ours that change nothing. A command that is not listed counts as one that does: then
// a call waits for replicas that already have everything.
constexpr std::array kReading{
    "ASKING"sv,      "BF.CARD"sv,     "BF.EXISTS"sv,   "BF.INFO"sv,    "BF.MEXISTS"sv,
    "BITFIELD_RO"sv, "BLOOM.CHECK"sv, "BLOOM.DELTA"sv, "BLOOM.INFO"sv, "BLOOM.READ"sv,
    "CLUSTER"sv,     "ECHO"sv,        "EVAL_RO"sv,     "EXEC"sv,       "EXISTS"sv,
    "GET"sv,         "GETBIT"sv,      "GETRANGE"sv,    "HGETALL"sv,    "HMGET"sv,
    "INFO"sv,        "MGET"sv,        "MULTI"sv,       "PING"sv,       "PTTL"sv,
    "ROLE"sv,        "STRLEN"sv,      "TIME"sv,        "TYPE"sv,       "UNWATCH"sv,
    "WATCH"sv,       "XRANGE"sv,      "XREAD"sv};

bool only_reads(std::string_view command) noexcept {
  return std::ranges::find(kReading, command) != kReading.end();
}

}  // namespace

Request& Request::add(std::span<const std::string_view> words) {
  std::vector<const char*> starts(words.size());
  std::vector<std::size_t> sizes(words.size());
  for (std::size_t i = 0; i < words.size(); ++i) {
    starts[i] = words[i].data();
    sizes[i] = words[i].size();
  }
  char* raw = nullptr;
  const auto size =
      redisFormatCommandArgv(&raw, static_cast<int>(words.size()), starts.data(), sizes.data());
  const std::unique_ptr<char, void (*)(char*)> command(raw, redisFreeCommand);
  if (size < 0) throw std::bad_alloc();
  bytes_.append(command.get(), static_cast<std::size_t>(size));
  ++size_;
  if (!in_transaction_) units_.emplace_back();
  units_.back().byte_count += static_cast<std::size_t>(size);
  ++units_.back().size;
  if (words.front() == "MULTI") in_transaction_ = true;
  if (words.front() == "EXEC") in_transaction_ = false;
  return *this;
}

// The bytes are our own.
std::vector<std::vector<std::string_view>> Request::commands() const {
  std::string_view rest = bytes_;
  const auto take_number = [&] {
    std::size_t number = 0;
    const char* const digits = rest.data() + 1;
    const char* const end = std::from_chars(digits, rest.data() + rest.size(), number).ptr;
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()) + 2);
    return number;
  };
  std::vector<std::vector<std::string_view>> all(size_);
  for (auto& words : all) {
    words.resize(take_number());
    for (std::string_view& word : words) {
      const std::size_t size = take_number();
      word = rest.substr(0, size);
      rest.remove_prefix(size + 2);
    }
  }
  return all;
}

bool Request::changes() const {
  return !reads_only_ && !std::ranges::all_of(commands(), [](const auto& words) {
    return only_reads(words.front());
  });
}

Request Request::with(const Request& behind) const {
  Request both = *this;
  both.bytes_ += behind.bytes_;
  both.size_ += behind.size_;
  both.reads_only_ = reads_only_ && behind.reads_only_;
  both.units_.insert(both.units_.end(), behind.units_.begin(), behind.units_.end());
  return both;
}

Request Request::asking() const {
  Request all;
  std::string_view rest = bytes_;
  for (const Unit& unit : units_) {
    all.add({"ASKING"});
    all.bytes_ += rest.substr(0, unit.byte_count);
    all.size_ += unit.size;
    all.units_.push_back(unit);
    rest.remove_prefix(unit.byte_count);
  }
  return all;
}

}  // namespace bloomery::redis
