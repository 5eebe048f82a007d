// SPDX-License-Identifier: Apache-2.0
#include "module/guard_arguments.h"

#include "module/guard_clock.h"
#include "module/refusal.h"
#include "module/settings.h"
#include "module/watermark_words.h"

namespace bloomery::module {
namespace {

constexpr std::int64_t kLongestLife = 315'360'000'000;
constexpr std::size_t kMostLifeDigits = 12;

}  // namespace

GuardArguments::GuardArguments(const Call& call) : call_(call) {
  const auto count = parse_integer(call.word(1));
  const auto most = static_cast<std::int64_t>(call.size() - kFirstKey);
  if (!count || *count < 1 || *count > most) {
    throw Refusal("ERR the number of keys must be from 1 to that of the words behind it");
  }
  key_count_ = static_cast<std::size_t>(*count);
  // The script's arguments begin with the verb.
  if (row_count() > kMostKeys || size() + 1 > 6 * kMostKeys) {
    throw Refusal("GUARD more than 1000 keys");
  }
}

std::optional<std::int64_t> parse_life(std::string_view text, std::int64_t least) noexcept {
  if (text.size() > kMostLifeDigits) return std::nullopt;
  const std::optional<std::int64_t> number = parse_position(text);
  if (!number || *number < least || *number > kLongestLife) return std::nullopt;
  return number;
}

std::optional<std::int64_t> parse_moment(std::string_view text) noexcept {
  if (text.size() != kGuardMomentSize) return std::nullopt;
  return parse_position(text);
}

}  // namespace bloomery::module
