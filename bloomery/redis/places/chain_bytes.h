// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "bloomery/place/watermark.h"

// The bytes of DeltaSource::chain_at(), which a pulled file has in its field 32,768
// (docs/format.md). Their first byte says whose they are.
namespace bloomery::redis {

inline constexpr char kRingChain = 1;
inline constexpr char kStepsChain = 2;
inline constexpr std::size_t kChainStartBytes = 8;

class ChainWriter {
 public:
  explicit ChainWriter(char kind) : bytes_(kChainStartBytes, '\0') { bytes_[0] = kind; }

  void put(std::uint64_t number) {
    char bytes[sizeof number];
    std::memcpy(bytes, &number, sizeof number);
    bytes_.append(bytes, sizeof number);
  }
  void put(const Identity& identity) {
    put(identity.high);
    put(identity.low);
  }
  const std::string& bytes() const noexcept { return bytes_; }

 private:
  std::string bytes_;
};

// Reads zeros where there is nothing to read, and is then not at the end.
class ChainReader {
 public:
  ChainReader(std::string_view bytes, char kind) noexcept : bytes_(bytes) {
    const std::string start = ChainWriter(kind).bytes();
    is_whole_ = bytes_.starts_with(start);
    if (is_whole_) bytes_.remove_prefix(kChainStartBytes);
  }

  std::uint64_t number() noexcept {
    std::uint64_t number = 0;
    is_whole_ = is_whole_ && bytes_.size() >= sizeof number;
    if (!is_whole_) return 0;
    std::memcpy(&number, bytes_.data(), sizeof number);
    bytes_.remove_prefix(sizeof number);
    return number;
  }
  Identity identity() noexcept {
    const std::uint64_t high = number();
    return {high, number()};
  }
  bool is_at_end() const noexcept { return is_whole_ && bytes_.empty(); }

 private:
  std::string_view bytes_;
  bool is_whole_ = false;
};

}  // namespace bloomery::redis
