// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "bloomery/bits/bit_storage.h"
#include "bloomery/redis/places/native_bitmap.h"

namespace bloomery::redis {

// Returns whether a bit is set in the bytes of its line; `position` is that of the bit in the body.
inline bool is_set_in(std::string_view line, std::uint64_t position) noexcept {
  const std::uint64_t bit = position % (8 * kLineBytes);
  return (static_cast<unsigned char>(line[bit / 8]) >> (bit % 8) & 1) != 0;
}

// Calls visit(line, first bit, behind the last) for each line that each of these keys has bits in.
template <class Visit>
void for_each_line(const KeyBits& bits, std::size_t first_key, std::size_t behind_keys,
                   Visit visit) {
  for (std::size_t key = first_key; key < behind_keys; ++key) {
    for (std::size_t at = bits.begin_of(key); at < bits.ends[key];) {
      const std::uint64_t line = bits.positions[at] / (8 * kLineBytes);
      std::size_t end = at + 1;
      while (end < bits.ends[key] && bits.positions[end] / (8 * kLineBytes) == line) ++end;
      visit(line, at, end);
      at = end;
    }
  }
}

// Returns the keys of `bits` in the order of their first lines: lines that are near each other are
// then set at once.
KeyBits sorted(const KeyBits& bits);

template <class Visit>
void for_each_line(const KeyBits& bits, Visit visit) {
  for_each_line(bits, 0, bits.size(), visit);
}

}  // namespace bloomery::redis
