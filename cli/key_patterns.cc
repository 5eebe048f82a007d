// SPDX-License-Identifier: Apache-2.0
#include "cli/key_patterns.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <stdexcept>

#include "bloomery/source/key_encoding.h"
#include "bloomery/text/printable.h"
#include "cli/split_mix.h"

namespace bloomery::cli {
namespace {

struct PatternName {
  KeyPattern pattern;
  std::string_view name;
};

constexpr std::array<PatternName, 5> kPatterns{{
    {KeyPattern::random, "random"},
    {KeyPattern::counter, "counter"},
    {KeyPattern::shifted, "shifted"},
    {KeyPattern::uuid, "uuid"},
    {KeyPattern::url, "url"},
}};

// RFC 9562 version 4: 122 random bits. All bits of `number` are in it, in the digits after the
// variant and before the version.
std::size_t write_uuid(std::uint64_t number, char* out) noexcept {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::array<std::uint64_t, 2> halves{scramble(number), scramble(~number)};
  halves[0] = (halves[0] & ~std::uint64_t{0xf000}) | 0x4000;
  halves[1] = (halves[1] & ~(std::uint64_t{3} << 62)) | (std::uint64_t{1} << 63);
  char* at = out;
  for (std::size_t digit = 0; digit < 32; ++digit) {
    if (digit == 8 || digit == 12 || digit == 16 || digit == 20) *at++ = '-';
    *at++ = kDigits[(halves[digit / 16] >> (60 - 4 * (digit % 16))) & 15];
  }
  return static_cast<std::size_t>(at - out);
}

std::size_t write_url(std::uint64_t number, char* out) noexcept {
  constexpr std::string_view kPrefix = "https://example.org/items/";
  char* const digits = std::ranges::copy(kPrefix, out).out;
  return static_cast<std::size_t>(std::to_chars(digits, out + kPatternBytes, number).ptr - out);
}

std::size_t write_integer(std::uint64_t integer, char* out) noexcept {
  write_integer_key(integer, out);
  return sizeof integer;
}

// Calls take(write), where write(number, out) makes a key: the pattern is chosen once for many.
template <class Take>
auto with_writer(KeyPattern pattern, Take take) {
  switch (pattern) {
    case KeyPattern::counter:
      return take(write_integer);
    case KeyPattern::shifted:
      return take([](std::uint64_t number, char* out) {
        return write_integer(std::rotl(number, 32), out);
      });
    case KeyPattern::uuid:
      return take(write_uuid);
    case KeyPattern::url:
      return take(write_url);
    case KeyPattern::random:
      break;
  }
  // Scrambled twice: integer keys of filters may be hashed by steps like these.
  return take([](std::uint64_t number, char* out) {
    return write_integer(scramble(scramble(number) ^ 0x5851f42d4c957f2d), out);
  });
}

}  // namespace

KeyPattern key_pattern_named(std::string_view name) {
  std::string names;
  for (const PatternName& each : kPatterns) {
    if (each.name == name) return each.pattern;
    names += (names.empty() ? "" : ", ") + std::string(each.name);
  }
  throw std::invalid_argument("no pattern of keys is called " + printable(name) + "; there are " +
                              names);
}

std::string_view key_pattern_name(KeyPattern pattern) {
  return std::ranges::find(kPatterns, pattern, &PatternName::pattern)->name;
}

std::size_t write_pattern_key(KeyPattern pattern, std::uint64_t number, char* out) {
  return with_writer(pattern, [&](auto write) { return write(number, out); });
}

PatternBatches::PatternBatches(KeyPattern pattern)
    : pattern_(pattern), bytes_(kBatchKeys * kPatternBytes), keys_(kBatchKeys) {}

std::span<const Key> PatternBatches::keys(std::uint64_t first, std::uint64_t count) {
  const std::size_t made = std::min<std::uint64_t>(count, kBatchKeys);
  with_writer(pattern_, [&](auto write) {
    char* out = bytes_.data();
    for (std::size_t i = 0; i < made; ++i) {
      const std::size_t length = write(first + i, out);
      keys_[i] = {out, length};
      out += length;
    }
  });
  return std::span(keys_).first(made);
}

}  // namespace bloomery::cli
