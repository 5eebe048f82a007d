// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstring>
#include <span>

// Numbers at places in bytes. The format is little-endian, and so are the machines we build for.
namespace bloomery {

static_assert(std::endian::native == std::endian::little, "the words go to the file as they are");

// `bytes` has room for a T at `offset`.
template <class T>
requires std::is_arithmetic_v<T> T get_number(std::span<const std::byte> bytes, std::size_t offset)
noexcept {
  T value;
  std::memcpy(&value, bytes.subspan(offset, sizeof value).data(), sizeof value);
  return value;
}

template <class T>
requires std::is_arithmetic_v<T>
void put_number(std::span<std::byte> bytes, std::size_t offset, T value) noexcept {
  std::memcpy(bytes.subspan(offset, sizeof value).data(), &value, sizeof value);
}

}  // namespace bloomery
