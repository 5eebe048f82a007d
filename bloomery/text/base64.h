// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

// Base64 with the alphabet A-Z a-z 0-9 + / and padding, RFC 4648: each string of bytes has one
// spelling.
namespace bloomery {

// Why a text is not base64.
enum class Base64Fault {
  none,
  length,     // it is no multiple of four
  character,  // one that is not of the alphabet
  tail,       // bits are set behind the last byte
};

struct Base64Read {
  std::size_t byte_count = 0;
  Base64Fault fault = Base64Fault::none;
  std::size_t at = 0;  // of the character
};

// `out` has room for three bytes for each four characters.
Base64Read read_base64(std::string_view text, char* out) noexcept;

// Encodes bytes that come in pieces.
class Base64Writer {
 public:
  using Sink = std::function<void(std::span<const std::byte>)>;

  explicit Base64Writer(const Sink& sink) : sink_(sink) {}

  void write(std::span<const std::byte> bytes);
  void finish();  // with padding

 private:
  const Sink& sink_;
  std::uint32_t bits_ = 0;  // of up to two bytes that wait for the third
  int waiting_ = 0;
};

}  // namespace bloomery
