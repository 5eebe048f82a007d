// SPDX-License-Identifier: Apache-2.0
#include "benchmarks/bench_keys.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <utility>

namespace bloomery::bench {
namespace {

constexpr std::size_t kMaxTextBytes = 64;

constexpr std::array<Pattern, 9> kPatterns{
    Pattern::random,     Pattern::counter,    Pattern::shifted_8,
    Pattern::shifted_20, Pattern::shifted_32, Pattern::addresses,
    Pattern::doubles,    Pattern::uuid,       Pattern::url};

std::uint64_t integer_key(Pattern pattern, std::uint64_t number) noexcept {
  switch (pattern) {
    case Pattern::counter:
      return number;
    case Pattern::shifted_8:
      return std::rotl(number, 8);
    case Pattern::shifted_20:
      return std::rotl(number, 20);
    case Pattern::shifted_32:
      return std::rotl(number, 32);
    case Pattern::addresses:
      return number * 4096 + 0x7f32'1a40'0000;
    case Pattern::doubles:
      return std::bit_cast<std::uint64_t>(static_cast<double>(number));
    case Pattern::random:
    case Pattern::uuid:
    case Pattern::url:
      break;
  }
  return scramble(number);
}

// A pair of hexadecimal digits for each byte.
constexpr auto kHexPairs = [] {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::array<char, 512> pairs{};
  for (std::size_t byte = 0; byte < 256; ++byte) {
    pairs[2 * byte] = kDigits[byte / 16];
    pairs[2 * byte + 1] = kDigits[byte % 16];
  }
  return pairs;
}();

// Sixteen bytes written as a UUID is; the first eight alone tell numbers apart.
std::size_t write_uuid(std::uint64_t number, char* out) noexcept {
  const std::uint64_t first = scramble(number);
  const std::uint64_t second = scramble(~number);
  char* at = out;
  for (int byte = 0; byte < 16; ++byte) {
    if (byte == 4 || byte == 6 || byte == 8 || byte == 10) *at++ = '-';
    const auto value = static_cast<std::uint8_t>((byte < 8 ? first : second) >> (8 * (byte % 8)));
    *at++ = kHexPairs[2 * value];
    *at++ = kHexPairs[2 * value + 1];
  }
  return static_cast<std::size_t>(at - out);
}

std::size_t write_url(std::uint64_t number, char* out) noexcept {
  constexpr std::string_view kPrefix = "https://example.org/items/";
  char* const digits = std::ranges::copy(kPrefix, out).out;
  return static_cast<std::size_t>(std::to_chars(digits, out + kMaxTextBytes, number).ptr - out);
}

}  // namespace

std::span<const Pattern> all_patterns() noexcept {
  return kPatterns;
}

std::string_view pattern_name(Pattern pattern) noexcept {
  static constexpr std::array<std::string_view, 9> kNames{
      "random", "counter", "i<<8", "i<<20", "i<<32", "i*4096+base", "doubles", "uuid", "url"};
  return kNames[static_cast<std::size_t>(pattern)];
}

// The finaliser "moremur" (Evensen 2019).
std::uint64_t scramble(std::uint64_t number) noexcept {
  number = (number ^ (number >> 27)) * 0x3c79ac492ba7b653;
  number = (number ^ (number >> 33)) * 0x1c69b3f74ac4ae35;
  return number ^ (number >> 27);
}

KeyChunk KeyMaker::make(std::uint64_t first, std::uint64_t count) {
  if (pattern_ != Pattern::uuid && pattern_ != Pattern::url) {
    integers_.resize(count);
    for (std::uint64_t i = 0; i < count; ++i) integers_[i] = integer_key(pattern_, first + i);
    return {.integers = integers_, .texts = {}};
  }
  bytes_.resize(count * kMaxTextBytes);
  texts_.resize(count);
  char* out = bytes_.data();
  for (Key& text : texts_) {
    const std::size_t length =
        pattern_ == Pattern::uuid ? write_uuid(first++, out) : write_url(first++, out);
    text = {out, length};
    out += length;
  }
  return {.integers = {}, .texts = texts_};
}

}  // namespace bloomery::bench
