// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "module/call.h"

namespace bloomery::module {

// The words of a GUARD command: how many keys, the keys (entry and lease of each row, then the
// filter where one is asked), and the verb's arguments, as guard.lua has them.
class GuardArguments {
 public:
  static constexpr std::size_t kMostKeys = 1000;
  static constexpr std::size_t kFirstItem = 6;  // of get and announce: an item for each row

  // Throws Refusal where the number of keys is none, or more than there are words, or the call is
  // larger than the script takes.
  explicit GuardArguments(const Call& call);

  std::size_t row_count() const noexcept { return key_count_ / 2; }
  std::size_t key_count() const noexcept { return key_count_; }
  String* key(std::size_t i) const noexcept { return call_.raw_word(kFirstKey + i); }
  String* entry(std::size_t row) const noexcept { return key(2 * row); }
  String* lease(std::size_t row) const noexcept { return key(2 * row + 1); }
  std::string_view lease_name(std::size_t row) const noexcept {
    return call_.word(kFirstKey + 2 * row + 1);
  }
  String* filter() const noexcept { return key_count_ % 2 == 1 ? key(key_count_ - 1) : nullptr; }

  std::size_t size() const noexcept { return call_.size() - kFirstKey - key_count_; }
  // Empty where there is no such argument.
  std::string_view operator[](std::size_t i) const noexcept {
    return i < size() ? call_.word(kFirstKey + key_count_ + i) : std::string_view();
  }
  String* raw(std::size_t i) const noexcept { return call_.raw_word(kFirstKey + key_count_ + i); }
  const Call& call() const noexcept { return call_; }

 private:
  static constexpr std::size_t kFirstKey = 2;

  const Call& call_;
  std::size_t key_count_ = 0;
};

// A whole number from `least` to 315,360,000,000, which is ten years of milliseconds, as decimal
// digits.
std::optional<std::int64_t> parse_life(std::string_view text, std::int64_t least) noexcept;

// The number of kGuardMomentSize digits, and of nothing else.
std::optional<std::int64_t> parse_moment(std::string_view text) noexcept;

}  // namespace bloomery::module
