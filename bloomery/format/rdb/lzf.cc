// SPDX-License-Identifier: Apache-2.0
#include "bloomery/format/rdb/lzf.h"

#include <cstring>

namespace bloomery::rdb {

bool expand_lzf(std::span<const std::byte> packed, std::span<std::byte> out) noexcept {
  std::size_t from = 0;
  std::size_t to = 0;
  const auto next = [&] { return std::to_integer<std::size_t>(packed[from++]); };
  while (from < packed.size()) {
    const std::size_t control = next();
    if (control < 32) {
      const std::size_t count = control + 1;
      if (count > packed.size() - from || count > out.size() - to) return false;
      std::memcpy(out.data() + to, packed.data() + from, count);
      from += count;
      to += count;
      continue;
    }
    std::size_t count = (control >> 5) + 2;
    if (count == 9) {
      if (from == packed.size()) return false;
      count += next();
    }
    if (from == packed.size()) return false;
    const std::size_t back = ((control & 31) << 8) + next() + 1;
    if (back > to || count > out.size() - to) return false;
    // A byte at a time: what is copied may be what this step wrote.
    for (const std::size_t end = to + count; to < end; ++to) out[to] = out[to - back];
  }
  return to == out.size();
}

}  // namespace bloomery::rdb
