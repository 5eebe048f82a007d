// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "bloomery/bits/bit_storage.h"

namespace bloomery {

// Words that somebody else owns and keeps alive: a network buffer, a part of a larger file, a
// server's value. They must start on a multiple of eight bytes; a 64-byte line is faster.
class BorrowedWords {
 public:
  explicit BorrowedWords(std::span<std::uint64_t> words) noexcept : words_(words) {}

  std::span<std::uint64_t> words() noexcept { return words_; }
  std::span<const std::uint64_t> words() const noexcept { return words_; }

 private:
  std::span<std::uint64_t> words_;
};

}  // namespace bloomery
