// SPDX-License-Identifier: Apache-2.0
#include "bloomery/format/rocksdb_hash.h"

#include <array>

#include "bloomery/hash/hash_pair.h"
#include "bloomery/hash/little_endian.h"

namespace bloomery::rocksdb_format {
namespace {

constexpr std::uint32_t kPrime32[] = {0x9e3779b1, 0x85ebca77, 0xc2b2ae3d};
constexpr std::uint64_t kPrime64[] = {0x9e3779b185ebca87, 0xc2b2ae3d27d4eb4f, 0x165667b19e3779f9,
                                      0x85ebca77c2b2ae63, 0x27d4eb2f165667c5};

// XXH3's default secret: 192 bytes, read at any offset.
constexpr std::uint64_t kSecret[] = {
    0xbe4ba423396cfeb8, 0x1cad21f72c81017c, 0xdb979083e96dd4de, 0x1f67b3b7a4a44072,
    0x78e5c0cc4ee679cb, 0x2172ffcc7dd05a82, 0x8e2443f7744608b8, 0x4c263a81e69035e0,
    0xcb00c391bb52283c, 0xa32e531b8b65d088, 0x4ef90da297486471, 0xd8acdea946ef1938,
    0x3f349ce33f76faa8, 0x1d4f0bc7c7bbdcf9, 0x3159b4cd4be0518a, 0x647378d9c97e9fc8,
    0xc3ebd33483acc5ea, 0xeb6313faffa081c5, 0x49daf0b751dd0d17, 0x9e68d429265516d3,
    0xfca1477d58be162b, 0xce31d07ad1b8f88f, 0x280416958f3acb45, 0x7e404bbbcafbd7af,
};

constexpr std::size_t kLanes = 8;
constexpr std::size_t kStripe = 64;
constexpr std::size_t kScrambleAt = sizeof kSecret - kStripe;
constexpr std::size_t kStripesOfBlock = kScrambleAt / 8;  // the secret moves on 8 bytes a stripe
// Odd offsets, so that these bytes of the secret are not those of any other step.
constexpr std::size_t kLastStripeAt = kScrambleAt - 7;
constexpr std::size_t kMergeAt = 11;
constexpr std::size_t kMiddleAt = 3;
constexpr std::size_t kMiddleLastAt = 136 - 17;

using Lanes = std::array<std::uint64_t, kLanes>;

std::uint64_t secret(std::size_t offset) noexcept {
  return load_little_endian<std::uint64_t>(reinterpret_cast<const char*>(kSecret) + offset);
}

std::uint64_t word(const char* bytes) noexcept {
  return load_little_endian<std::uint64_t>(bytes);
}

std::uint64_t fold(std::uint64_t a, std::uint64_t b) noexcept {
  const Uint128 product = static_cast<Uint128>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

std::uint64_t spread(std::uint64_t value) noexcept {
  value = (value ^ (value >> 37)) * kPrime64[2];
  return value ^ (value >> 32);
}

// 16 bytes of the key with 16 of the secret.
std::uint64_t mix(const char* bytes, std::size_t offset) noexcept {
  return fold(word(bytes) ^ secret(offset), word(bytes + 8) ^ secret(offset + 8));
}

std::uint64_t hash_1_to_3(const char* bytes, std::size_t size) noexcept {
  const auto byte = [&](std::size_t at) -> std::uint32_t {
    return static_cast<std::uint8_t>(bytes[at]);
  };
  const auto length = static_cast<std::uint32_t>(size);
  const std::uint32_t packed =
      byte(0) | (byte(size / 2) << 8) | (byte(size - 1) << 16) | (length << 24);
  return spread((packed ^ (secret(0) & 0xffffffff)) * kPrime64[0]);
}

std::uint64_t hash_4_to_8(const char* bytes, std::size_t size) noexcept {
  const std::uint64_t low = load_little_endian<std::uint32_t>(bytes);
  const std::uint64_t high = load_little_endian<std::uint32_t>(bytes + size - 4);
  const std::uint64_t keyed = (low | (high << 32)) ^ secret(0);
  const std::uint64_t mixed = size + (keyed ^ (keyed >> 51)) * kPrime32[0];
  return spread((mixed ^ (mixed >> 47)) * kPrime64[1]);
}

std::uint64_t hash_9_to_16(const char* bytes, std::size_t size) noexcept {
  const std::uint64_t low = word(bytes) ^ secret(0);
  const std::uint64_t high = word(bytes + size - 8) ^ secret(8);
  return spread(size + low + high + fold(low, high));
}

std::uint64_t hash_17_to_128(const char* bytes, std::size_t size) noexcept {
  std::uint64_t sum = size * kPrime64[0];
  for (std::size_t pair = 0; pair <= (size - 1) / 32; ++pair) {
    sum += mix(bytes + 16 * pair, 32 * pair);
    sum += mix(bytes + size - 16 * (pair + 1), 32 * pair + 16);
  }
  return spread(sum);
}

std::uint64_t hash_129_to_240(const char* bytes, std::size_t size) noexcept {
  std::uint64_t sum = size * kPrime64[0];
  for (std::size_t i = 0; i < 8; ++i) sum += mix(bytes + 16 * i, 16 * i);
  sum = spread(sum);
  for (std::size_t i = 8; i < size / 16; ++i) {
    sum += mix(bytes + 16 * i, 16 * (i - 8) + kMiddleAt);
  }
  return spread(sum + mix(bytes + size - 16, kMiddleLastAt));
}

void take_stripe(Lanes& lanes, const char* stripe, std::size_t offset) noexcept {
  for (std::size_t i = 0; i < kLanes; ++i) {
    const std::uint64_t value = word(stripe + 8 * i);
    const std::uint64_t keyed = value ^ secret(offset + 8 * i);
    lanes[i] += value + (keyed & 0xffffffff) * (keyed >> 32);
  }
}

void scramble(Lanes& lanes) noexcept {
  for (std::size_t i = 0; i < kLanes; ++i) {
    lanes[i] = (lanes[i] ^ (lanes[i] >> 47) ^ secret(kScrambleAt + 8 * i)) * kPrime32[0];
  }
}

std::uint64_t hash_long(const char* bytes, std::size_t size) noexcept {
  Lanes lanes{kPrime32[2], kPrime64[0], kPrime64[1], kPrime64[2],
              kPrime64[3], kPrime32[1], kPrime64[4], kPrime32[0]};
  for (std::size_t stripe = 0; stripe < size / kStripe; ++stripe) {
    const std::size_t of_block = stripe % kStripesOfBlock;
    take_stripe(lanes, bytes + kStripe * stripe, 8 * of_block);
    if (of_block == kStripesOfBlock - 1) scramble(lanes);
  }
  if (size % kStripe != 0) take_stripe(lanes, bytes + size - kStripe, kLastStripeAt);

  std::uint64_t sum = size * kPrime64[0];
  for (std::size_t i = 0; i < kLanes; i += 2) {
    sum += fold(lanes[i] ^ secret(kMergeAt + 8 * i), lanes[i + 1] ^ secret(kMergeAt + 8 * i + 8));
  }
  return spread(sum);
}

}  // namespace

std::uint64_t hash(Key key) noexcept {
  const char* bytes = key.data();
  const std::size_t size = key.size();
  if (size == 0) return fold(secret(0), kPrime64[1]);
  if (size <= 3) return hash_1_to_3(bytes, size);
  if (size <= 8) return hash_4_to_8(bytes, size);
  if (size <= 16) return hash_9_to_16(bytes, size);
  if (size <= 128) return hash_17_to_128(bytes, size);
  if (size <= 240) return hash_129_to_240(bytes, size);
  return hash_long(bytes, size);
}

}  // namespace bloomery::rocksdb_format
