// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "bloomery/source/decoder.h"

namespace bloomery {

// UTF-16 that begins with its byte order mark, as UTF-8 without one. A surrogate without its other
// half, and half a unit at the end, are damage.
class FromUtf16 final : public Decoder {
 public:
  FromUtf16(std::string name, std::string_view begin, bool is_big_endian);

  std::size_t read(char* out, std::size_t byte_count, const Read& read) override;

 private:
  void take(std::uint16_t unit);

  std::string name_;
  EncodedBytes bytes_;
  bool is_big_endian_;
  std::uint64_t unit_count_ = 0;
  int half_ = -1;           // the first byte of a unit
  std::uint32_t high_ = 0;  // a surrogate that waits for its other half
  std::string ready_;       // of one character at most
};

}  // namespace bloomery
