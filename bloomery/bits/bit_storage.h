// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <span>

namespace bloomery {

// The owner of a filter's words: heap, a mapped file, somebody else. The words start on a 64-byte
// line.
template <class S>
concept BitStorage = std::movable<S> && requires(S& storage, const S& constant) {
  { storage.words() }
  noexcept->std::same_as<std::span<std::uint64_t>>;
  { constant.words() }
  noexcept->std::same_as<std::span<const std::uint64_t>>;
};

inline constexpr std::uint64_t kWordBits = 64;
inline constexpr std::uint64_t kLineBits = 512;
inline constexpr std::uint64_t kLineWords = kLineBits / kWordBits;
inline constexpr std::uint64_t kLineBytes = kLineBits / 8;

}  // namespace bloomery
