// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

// Bijections, or parts of them, of which patterns of integers are made.
namespace bloomery::bench {

// The number that `odd`, which is odd, times it makes 1 of, modulo 2^64.
constexpr std::uint64_t inverse(std::uint64_t odd) noexcept {
  std::uint64_t result = odd;  // right in its three lowest bits; each step doubles them
  for (int bits = 3; bits < 64; bits *= 2) result *= 2 - odd * result;
  return result;
}

// Bit i goes to bit 63 - i.
constexpr std::uint64_t bits_reversed(std::uint64_t number) noexcept {
  const auto swap = [&](std::uint64_t lower, int distance) {
    number = (number & lower) << distance | (number >> distance & lower);
  };
  swap(0x5555555555555555, 1);
  swap(0x3333333333333333, 2);
  swap(0x0f0f0f0f0f0f0f0f, 4);
  return __builtin_bswap64(number);
}

// Bit i of the lower half goes to bit 2 i.
constexpr std::uint64_t bits_apart(std::uint64_t number) noexcept {
  number = (number | number << 16) & 0x0000ffff0000ffff;
  number = (number | number << 8) & 0x00ff00ff00ff00ff;
  number = (number | number << 4) & 0x0f0f0f0f0f0f0f0f;
  number = (number | number << 2) & 0x3333333333333333;
  return (number | number << 1) & 0x5555555555555555;
}

// kWays[n][k]: the number of ways to choose k of n.
inline constexpr std::size_t kMostChosen = 8;
inline constexpr auto kWays = [] {
  std::array<std::array<std::uint64_t, kMostChosen + 1>, 65> ways{};
  for (std::size_t n = 0; n < ways.size(); ++n) {
    ways[n][0] = 1;
    for (std::size_t k = 1; n != 0 && k <= kMostChosen; ++k) {
      ways[n][k] = ways[n - 1][k - 1] + ways[n - 1][k];
    }
  }
  return ways;
}();

// The numbers that have one to eight bits, in the order of how many: below 5 * 10^9 of them.
constexpr std::uint64_t with_few_bits(std::uint64_t index) noexcept {
  std::size_t count = 1;
  while (index >= kWays[64][count]) index -= kWays[64][count++];
  std::uint64_t result = 0;
  // The combinatorial number system: the highest bit is the largest with as few choices below it.
  for (std::size_t bit = 64; count != 0; --count) {
    do {
      --bit;
    } while (kWays[bit][count] > index);
    index -= kWays[bit][count];
    result |= std::uint64_t{1} << bit;
  }
  return result;
}

// The eight bytes of a number's last eight digits, of which the first is the lowest byte.
constexpr std::uint64_t as_digits(std::uint64_t number, std::uint64_t base) noexcept {
  constexpr std::string_view kDigits = "0123456789abcdefghijklmnopqrstuvwxyz";
  std::uint64_t result = 0;
  for (int digit = 0; digit < 8; ++digit, number /= base) {
    result = result << 8 | static_cast<std::uint64_t>(kDigits[number % base]);
  }
  return result;
}

}  // namespace bloomery::bench
