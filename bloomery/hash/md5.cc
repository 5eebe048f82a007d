// SPDX-License-Identifier: Apache-2.0
#include "bloomery/hash/md5.h"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "bloomery/hash/little_endian.h"

namespace bloomery {
namespace {

constexpr std::size_t kMd5BlockBytes = 64;
constexpr std::size_t kMd5Steps = 64;

// RFC 1321, 3.4: the integer part of 2^32 |sin(i + 1)|.
constexpr std::array<std::uint32_t, kMd5Steps> kMd5Sines{
    0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
    0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
    0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
    0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
    0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
    0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
    0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
    0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391};
// Each round's four, in turn.
constexpr std::array<std::array<int, 4>, 4> kMd5Shifts{
    {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}}};
// The word of the block that a step takes: (factor * step + first) mod 16.
constexpr std::array<std::array<std::size_t, 2>, 4> kMd5Words{{{1, 0}, {5, 1}, {3, 5}, {7, 0}}};

using Md5State = std::array<std::uint32_t, 4>;

std::uint32_t mixed_md5(std::size_t round, const Md5State& s) noexcept {
  switch (round) {
    case 0:
      return (s[1] & s[2]) | (~s[1] & s[3]);
    case 1:
      return (s[1] & s[3]) | (s[2] & ~s[3]);
    case 2:
      return s[1] ^ s[2] ^ s[3];
    default:
      return s[2] ^ (s[1] | ~s[3]);
  }
}

void add_md5_block(Md5State& state, const char* block) noexcept {
  Md5State s = state;
  for (std::size_t step = 0; step < kMd5Steps; ++step) {
    const std::size_t round = step / 16;
    const std::size_t word = (kMd5Words[round][0] * step + kMd5Words[round][1]) % 16;
    const std::uint32_t sum = s[0] + mixed_md5(round, s) + kMd5Sines[step] +
                              load_little_endian<std::uint32_t>(block + 4 * word);
    s = {s[3], s[1] + std::rotl(sum, kMd5Shifts[round][step % 4]), s[1], s[2]};
  }
  for (std::size_t i = 0; i < state.size(); ++i) state[i] += s[i];
}

}  // namespace

HashPair md5(Key key) noexcept {
  Md5State state{0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
  std::size_t at = 0;
  for (; key.size() - at >= kMd5BlockBytes; at += kMd5BlockBytes)
    add_md5_block(state, key.data() + at);
  // The rest, a bit 1, zeros, and the number of bits: one block, or two.
  std::array<char, 2 * kMd5BlockBytes> end{};
  const std::size_t rest = key.size() - at;
  if (rest != 0) std::memcpy(end.data(), key.data() + at, rest);
  end[rest] = '\x80';
  const std::size_t size = rest + 9 <= kMd5BlockBytes ? kMd5BlockBytes : end.size();
  const std::uint64_t bits = 8 * std::uint64_t{key.size()};
  std::memcpy(end.data() + size - sizeof bits, &bits, sizeof bits);
  for (std::size_t i = 0; i < size; i += kMd5BlockBytes) add_md5_block(state, end.data() + i);
  return {state[0] | std::uint64_t{state[1]} << 32, state[2] | std::uint64_t{state[3]} << 32};
}

}  // namespace bloomery
