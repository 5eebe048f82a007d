// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "bloomery/hash/hash_pair.h"
#include "bloomery/hash/key.h"

namespace bloomery {

// The keys of the rounds: the first digits of pi behind its point. Two words are a lane, the first
// of them its lower half.
struct AesKeys {
  alignas(64) static constexpr std::uint64_t kBegin[] = {
      0x243f6a8885a308d3, 0x13198a2e03707344, 0xa4093822299f31d0, 0x082efa98ec4e6c89,
      0x452821e638d01377, 0xbe5466cf34e90c6c, 0xc0ac29b7c97c50dd, 0x3f84d5b5b5470917};
  alignas(64) static constexpr std::uint64_t kFirst[] = {
      0x9216d5d98979fb1b, 0xd1310ba698dfb5ac, 0x2ffd72dbd01adfb7, 0xb8e1afed6a267e96,
      0xba7c9045f12c7f99, 0x24a19947b3916cf7, 0x0801f2e2858efc16, 0x636920d871574e69};
  alignas(64) static constexpr std::uint64_t kSecond[] = {
      0xa458fea3f4933d7e, 0x0d95748f728eb658, 0x718bcd5882154aee, 0x7b54a41dc25a59b5,
      0x9c30d5392af26013, 0xc5d1b023286085f0, 0xca417918b8db38ef, 0x8e79dcb0603a180e};
  alignas(64) static constexpr std::uint64_t kThird[] = {
      0xb4cc5c341141e8ce, 0xa15486af7c72e993, 0xb3ee1411636fbc2a, 0x2ba9c55d741831f6,
      0xce5c3e169b87931e, 0xafd6ba336c24cf5c, 0x7a32538128958677, 0x3b8f48986b4bb9af};
  alignas(64) static constexpr std::uint64_t kLast[] = {0x6c9e0e8bb01e8a3e, 0xd71577c1bd314b27,
                                                        0x78af2fda55605c60, 0xe65525f3aa55ab94,
                                                        0x5748986263e81440, 0x55ca396a2aab10b6};
  // kRest: what the lanes behind the first add up to in a key of at most 16 bytes.
  static constexpr std::uint64_t kRest[] = {0x0b7e993ecc492f40, 0xcf20069c8b8a85a4};

  // Returns what is added to the first lane of a key of at most 16 bytes before the last rounds.
  static constexpr HashPair end_of_lane(std::size_t size, std::uint64_t spread) noexcept {
    return {size ^ kRest[0], spread ^ kRest[1]};
  }
};

inline constexpr std::size_t kAesLane = 16;
inline constexpr std::size_t kAesLanes = 4;
inline constexpr std::size_t kAesBytes = kAesLane * kAesLanes;

// The hash over lanes of 128 bits. An Isa, which is a type of internal linkage in a file that is
// compiled for one processor, has a type Lane and
//   of_words(low, high), words(lane)      from and to two words
//   load(at)                              16 bytes
//   drop(lane, count)                     moves byte `count` to the lowest, and so on, with zeros
//                                         behind; `count` is below 64
//   add(lane, lane)                       xor
//   round(lane, key)                      SubBytes, ShiftRows, MixColumns and AddRoundKey of
//                                         FIPS 197, byte 0 of a lane being the first of its state
template <class Isa>
struct AesHashBody {
  using Lane = typename Isa::Lane;

  static HashPair hash(Key key, std::uint64_t spread) noexcept {
    const std::size_t size = key.size();
    if (size == sizeof(std::uint64_t)) return of_number(word_at(key.data()), spread);
    if (size < kAesLane) return of_lane(begin_of(key.data(), size), size, spread);
    Lane lanes[kAesLanes];
#pragma GCC unroll 4
    for (std::size_t i = 0; i < kAesLanes; ++i) lanes[i] = key_of(AesKeys::kBegin, i);
    for (std::size_t at = 0; at < size; at += kAesBytes) {
#pragma GCC unroll 4
      for (std::size_t i = 0; i < kAesLanes; ++i) {
        lanes[i] = take(lanes[i], lane_at(key.data(), at + i * kAesLane, size), i);
      }
    }
    return finish(Isa::add(Isa::add(lanes[0], lanes[1]), Isa::add(lanes[2], lanes[3])),
                  Isa::of_words(size, spread));
  }

  // Hashes the eight bytes of a little-endian integer. Inlined, and all that it calls: it has no
  // symbols.
  [[gnu::always_inline]] static HashPair of_number(std::uint64_t number,
                                                   std::uint64_t spread) noexcept {
    return of_lane(Isa::of_words(number, 0), sizeof number, spread);
  }

  static void hash_block(const Key* keys, std::size_t count, std::uint64_t spread,
                         std::uint64_t* h1, std::uint64_t* h2) noexcept {
    hash_each(hash, keys, count, spread, h1, h2);
  }
  static void hash_numbers(const std::uint64_t* numbers, std::size_t count, std::uint64_t spread,
                           std::uint64_t* h1, std::uint64_t* h2) noexcept {
    hash_each(of_number, numbers, count, spread, h1, h2);
  }

  [[gnu::always_inline]] static void hash_each(auto of, const auto* keys, std::size_t count,
                                               std::uint64_t spread, std::uint64_t* h1,
                                               std::uint64_t* h2) noexcept {
    for (std::size_t i = 0; i < count; ++i) {
      const HashPair pair = of(keys[i], spread);
      h1[i] = pair.h1;
      h2[i] = pair.h2;
    }
  }

  // Returns the pair of of_number() as a lane, h1 in its lower half. `end` is end_of_lane of eight
  // bytes.
  [[gnu::always_inline]] static Lane lane_of_number(std::uint64_t number, HashPair end) noexcept {
    return lane_of_lane(Isa::of_words(number, 0), end);
  }

  // The last rounds, of the sum of the lanes.
  [[gnu::always_inline]] static HashPair finish(Lane sum, Lane size_and_seed) noexcept {
    return Isa::words(last_rounds(sum, size_and_seed));
  }

 private:
  [[gnu::always_inline]] static Lane last_rounds(Lane sum, Lane size_and_seed) noexcept {
    sum = Isa::add(sum, size_and_seed);
#pragma GCC unroll 3
    for (std::size_t i = 0; i < 3; ++i) sum = Isa::round(sum, key_of(AesKeys::kLast, i));
    return sum;
  }

  [[gnu::always_inline]] static Lane key_of(const std::uint64_t* keys, std::size_t i) noexcept {
    return Isa::of_words(keys[2 * i], keys[2 * i + 1]);
  }

  [[gnu::always_inline]] static Lane take(Lane lane, Lane bytes, std::size_t i) noexcept {
    lane = Isa::round(Isa::add(lane, bytes), key_of(AesKeys::kFirst, i));
    lane = Isa::round(lane, key_of(AesKeys::kSecond, i));
    return Isa::round(lane, key_of(AesKeys::kThird, i));
  }

  // A key of at most 16 bytes, and zeros.
  [[gnu::always_inline]] static HashPair of_lane(Lane bytes, std::size_t size,
                                                 std::uint64_t spread) noexcept {
    return Isa::words(lane_of_lane(bytes, AesKeys::end_of_lane(size, spread)));
  }
  [[gnu::always_inline]] static Lane lane_of_lane(Lane bytes, HashPair end) noexcept {
    return last_rounds(take(key_of(AesKeys::kBegin, 0), bytes, 0), Isa::of_words(end.h1, end.h2));
  }

  // The 16 bytes from `at` on of a key that has as many or more, zeros behind its end. Nothing
  // behind it is read, and no jump depends on the length, which a processor could not foresee.
  [[gnu::always_inline]] static Lane lane_at(const char* key, std::size_t at,
                                             std::size_t size) noexcept {
    // A comparison would become a jump in g++ 12, so the sign bit is used. The operands are signed
    // before they are subtracted: a size may have fewer bits.
    const std::int64_t beyond =
        static_cast<std::int64_t>(at) - static_cast<std::int64_t>(size - kAesLane);
    const auto missing = static_cast<std::size_t>(beyond & ~(beyond >> 63));
    return Isa::drop(Isa::load(key + (at - missing)), missing);
  }

  template <class Word = std::uint64_t>
  [[gnu::always_inline]] static std::uint64_t word_at(const char* at) noexcept {
    Word word;
    std::memcpy(&word, at, sizeof word);
    return word;
  }

  // A key of fewer than 16 bytes and not eight, and zeros. What is read twice stands where it
  // stood.
  [[gnu::always_inline]] static Lane begin_of(const char* at, std::size_t size) noexcept {
    constexpr std::size_t kWord = sizeof(std::uint64_t);
    constexpr std::size_t kHalf = sizeof(std::uint32_t);
    if (size > kWord) {
      return Isa::of_words(word_at(at), word_at(at + size - kWord) >> (8 * (2 * kWord - size)));
    }
    if (size >= kHalf) {
      const std::uint64_t end = word_at<std::uint32_t>(at + size - kHalf);
      return Isa::of_words(word_at<std::uint32_t>(at) | end << (8 * (size - kHalf)), 0);
    }
    std::uint64_t word = 0;
    for (std::size_t i = 0; i < size; ++i) {
      word |= std::uint64_t{static_cast<unsigned char>(at[i])} << (8 * i);
    }
    return Isa::of_words(word, 0);
  }
};

}  // namespace bloomery
