// SPDX-License-Identifier: Apache-2.0
#pragma once

#if !defined(__cplusplus) || __cplusplus < 202002L
#error "bloomery needs C++20: compile with -std=c++20, or target_compile_features(... cxx_std_20)"
#endif

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>

namespace bloomery {

// Key: what a filter is asked about: bytes, not text. They are hashed at once and never kept, so a
// view is enough. An integer key is its eight little-endian bytes; the overloads that take integers
// give the same bits.
using Key = std::string_view;

// IntegerKey: what is taken for an integer key: not a truth value, a character or a number with a
// fraction, whose writer meant something else; nor an integer of 128 bits, of which half would be
// lost.
template <class I>
concept IntegerKey = std::integral<I> && sizeof(I) <= sizeof(std::uint64_t) &&
                     !std::same_as<I, bool> && !std::same_as<I, char> &&
                     !std::same_as<I, wchar_t> && !std::same_as<I, char8_t> &&
                     !std::same_as<I, char16_t> && !std::same_as<I, char32_t>;
constexpr std::uint64_t eight_bytes(IntegerKey auto integer) noexcept {
  return static_cast<std::uint64_t>(integer);
}

// The key that an integer is; good as long as it.
inline Key as_key(const std::uint64_t& bytes) noexcept {
  static_assert(std::endian::native == std::endian::little);
  return {reinterpret_cast<const char*>(&bytes), sizeof bytes};
}

// BytesOfKey: an array, a vector or a span of std::byte or unsigned char, such as a digest.
template <class B>
using ElementOf = std::remove_cvref_t<decltype(*std::data(std::declval<const B&>()))>;
template <class B>
concept BytesOfKey =
    std::same_as<ElementOf<B>, std::byte> || std::same_as<ElementOf<B>, std::uint8_t>;
// The key that these bytes are; good as long as they.
inline Key as_key(const BytesOfKey auto& bytes) noexcept {
  return {reinterpret_cast<const char*>(std::data(bytes)), std::size(bytes)};
}

}  // namespace bloomery
