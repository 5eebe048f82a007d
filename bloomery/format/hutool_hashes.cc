// SPDX-License-Identifier: Apache-2.0
#include "bloomery/format/hutool_hashes.h"

#include "bloomery/format/unit_hash.h"
#include "bloomery/text/utf16.h"

namespace bloomery::hutool {
namespace {

constexpr std::uint32_t kTopFour = 0xf0000000;

// >> of Java, which keeps the sign.
std::uint32_t shift_right(std::uint32_t value, int by) noexcept {
  return static_cast<std::uint32_t>(static_cast<std::int32_t>(value) >> by);
}

// & 0x7fffffff, with which most of them end.
std::int32_t without_sign(std::uint32_t hash) noexcept {
  return static_cast<std::int32_t>(hash & 0x7fffffff);
}

}  // namespace

std::int32_t default_hash(Key text) noexcept {
  return static_cast<std::int32_t>(unit_hash(text, 31));
}

std::int32_t elf_hash(Key text) noexcept {
  std::uint32_t hash = 0;
  for_each_utf16_unit(text, [&](std::uint16_t unit) {
    hash = (hash << 4) + unit;
    const std::uint32_t top = hash & kTopFour;
    hash = (hash ^ shift_right(top, 24)) & ~top;
  });
  return without_sign(hash);
}

std::int32_t js_hash(Key text) noexcept {
  std::uint32_t hash = 1315423911;
  for_each_utf16_unit(
      text, [&](std::uint16_t unit) { hash ^= (hash << 5) + unit + shift_right(hash, 2); });
  return without_sign(hash >> 31 != 0 ? 0 - hash : hash);  // Math.abs
}

std::int32_t pjw_hash(Key text) noexcept {
  std::uint32_t hash = 0;
  for_each_utf16_unit(text, [&](std::uint16_t unit) {
    hash = (hash << 4) + unit;
    const std::uint32_t top = hash & kTopFour;
    if (top != 0) hash = (hash ^ shift_right(top, 24)) & ~kTopFour;
  });
  return without_sign(hash);
}

std::int32_t sdbm_hash(Key text) noexcept {
  std::uint32_t hash = 0;
  for_each_utf16_unit(text,
                      [&](std::uint16_t unit) { hash = unit + (hash << 6) + (hash << 16) - hash; });
  return without_sign(hash);
}

std::int32_t rs_hash(Key text) noexcept {
  std::uint32_t factor = 63689;
  std::uint32_t hash = 0;
  for_each_utf16_unit(text, [&](std::uint16_t unit) {
    hash = hash * factor + unit;
    factor *= 378551;
  });
  return without_sign(hash);
}

std::int32_t bkdr_hash(Key text) noexcept {
  return without_sign(unit_hash(text, 131));
}

std::int32_t ap_hash(Key text) noexcept {
  std::uint32_t hash = 0;
  bool odd = false;
  for_each_utf16_unit(text, [&](std::uint16_t unit) {
    hash ^= odd ? ~((hash << 11) ^ unit ^ shift_right(hash, 5))
                : (hash << 7) ^ unit ^ shift_right(hash, 3);
    odd = !odd;
  });
  return static_cast<std::int32_t>(hash);
}

std::int32_t djb_hash(Key text) noexcept {
  std::uint32_t hash = 5381;
  for_each_utf16_unit(text, [&](std::uint16_t unit) { hash = (hash << 5) + hash + unit; });
  return without_sign(hash);
}

}  // namespace bloomery::hutool
