// SPDX-License-Identifier: Apache-2.0
#include "bloomery/text/base64.h"

#include <array>

namespace bloomery {
namespace {

constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint8_t kNoDigit = 0xff;

constexpr std::array<std::uint8_t, 256> kValues = [] {
  std::array<std::uint8_t, 256> values{};
  values.fill(kNoDigit);
  for (std::uint8_t i = 0; i < kDigits.size(); ++i) {
    values[static_cast<unsigned char>(kDigits[i])] = i;
  }
  return values;
}();

std::byte digit(std::uint32_t bits, int shift) noexcept {
  return static_cast<std::byte>(kDigits[(bits >> shift) & 0x3f]);
}

}  // namespace

Base64Read read_base64(std::string_view text, char* out) noexcept {
  if (text.size() % 4 != 0) return {.fault = Base64Fault::length};
  std::size_t digits = text.size();
  while (digits + 2 > text.size() && digits > 0 && text[digits - 1] == '=') --digits;

  Base64Read read;
  std::uint32_t bits = 0;
  int waiting = 0;
  for (std::size_t i = 0; i < digits; ++i) {
    const std::uint8_t value = kValues[static_cast<unsigned char>(text[i])];
    if (value == kNoDigit) return {.fault = Base64Fault::character, .at = i};
    bits = bits << 6 | value;
    waiting += 6;
    if (waiting < 8) continue;
    waiting -= 8;
    out[read.byte_count++] = static_cast<char>(bits >> waiting);
    bits &= (1U << waiting) - 1;
  }
  if (bits != 0) read.fault = Base64Fault::tail;
  return read;
}

void Base64Writer::write(std::span<const std::byte> bytes) {
  std::array<std::byte, 4096> text;
  std::size_t at = 0;
  for (const std::byte byte : bytes) {
    bits_ = bits_ << 8 | static_cast<std::uint32_t>(byte);
    if (++waiting_ < 3) continue;
    for (const int shift : {18, 12, 6, 0}) text[at++] = digit(bits_, shift);
    bits_ = 0;
    waiting_ = 0;
    if (at < text.size()) continue;
    sink_(text);
    at = 0;
  }
  if (at > 0) sink_(std::span(text).first(at));
}

void Base64Writer::finish() {
  if (waiting_ == 0) return;
  const std::uint32_t bits = bits_ << (waiting_ == 1 ? 16 : 8);
  const std::byte padding{'='};
  const std::array text{digit(bits, 18), digit(bits, 12), waiting_ == 2 ? digit(bits, 6) : padding,
                        padding};
  sink_(text);
  waiting_ = 0;
  bits_ = 0;
}

}  // namespace bloomery
