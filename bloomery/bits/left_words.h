// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace bloomery {

// The words of a filter that was moved from: whoever still asks it gets "maybe" for every key.
// Questions go to words that all such filters of the process share and nobody writes to; inserts go
// to words of the filter's own that nobody asks.
struct LeftWords {
  static constexpr std::size_t kMost = 256;

  std::shared_ptr<void> owner{};
  std::span<std::uint64_t> changed{};
  const std::uint64_t* asked = nullptr;
};

// `kLeftBits`: the bit count of a filter that was moved from, whatever it had: two lines, and a
// power of two.
inline constexpr std::uint64_t kLeftBits = 1024;

// Gives at most LeftWords::kMost words. Where there is no memory, all filters share the words that
// they change.
LeftWords left_words(std::uint64_t word_count) noexcept;

}  // namespace bloomery
