#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/format/bit_order.h"

// Base64 with the alphabet A-Z a-z 0-9 + / and padding, RFC 4648.
namespace bloomery {

// Throws FormatError, naming `what` and the character, for what is not base64: other characters,
// a length that is no multiple of four, bits behind the last byte.
std::vector<std::byte> decode_base64(std::string_view text, const std::string& what);

// Encodes bytes that come in pieces.
class Base64Writer {
 public:
  explicit Base64Writer(const ByteSink& sink) : sink_(sink) {}

  void write(std::span<const std::byte> bytes);
  void finish();  // with padding

 private:
  const ByteSink& sink_;
  std::uint32_t bits_ = 0;  // of up to two bytes that wait for the third
  int waiting_ = 0;
};

}  // namespace bloomery
