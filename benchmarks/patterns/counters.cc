// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <bit>

#include "benchmarks/patterns/number_shapes.h"
#include "benchmarks/patterns/rate_patterns.h"
#include "bloomery/hash/hash_pair.h"

namespace bloomery::bench {
namespace {

struct Factor {
  const char* name;
  std::uint64_t value;
};

// The factors of the hashes here, and of others.
constexpr Factor kFactors[] = {
    {"9e37", 0x9e3779b97f4a7c15}, {"bf58", 0xbf58476d1ce4e5b9}, {"94d0", 0x94d049bb133111eb},
    {"d6e8", 0xd6e8feb86659fd93}, {"a076", 0xa0761d6478bd642f}, {"e703", 0xe7037ed1a0b428db},
};

constexpr std::uint64_t kStrides[] = {3,
                                      5,
                                      7,
                                      10,
                                      100,
                                      1'000,
                                      1'000'003,
                                      1'000'000'007,
                                      (std::uint64_t{1} << 16) + 1,
                                      (std::uint64_t{1} << 32) - 1,
                                      (std::uint64_t{1} << 32) + 1,
                                      (std::uint64_t{1} << 40) - 1,
                                      (std::uint64_t{1} << 40) + 1,
                                      (std::uint64_t{1} << 48) - 1,
                                      0x0101010101010101,
                                      0x5555555555555555,
                                      0xaaaaaaaaaaaaaaab,
                                      0x0001000100010001};

// Adds the products of counters and a factor, the numbers whose products with it are counters, and
// quotients by it.
void add_beside(std::vector<RatePattern>& patterns, const Factor& factor) {
  const std::uint64_t value = factor.value;
  const auto named = [&](const char* form) { return fmt::format(fmt::runtime(form), factor.name); };
  constexpr std::uint64_t kHalf = std::uint64_t{1} << 32;
  patterns.push_back(
      integers(named("i * {}"), kEveryNumber, [=](std::uint64_t i) { return i * value; }));
  patterns.push_back(integers(named("i / {}"), kEveryNumber,
                              [by = inverse(value)](std::uint64_t i) { return i * by; }));
  patterns.push_back(integers(named("(i << 32) / {}"), kHalf,
                              [by = inverse(value)](std::uint64_t i) { return (i << 32) * by; }));
  const auto quotients = [=](int shift) {
    return
        [=](std::uint64_t i) { return static_cast<std::uint64_t>((Uint128{i} << shift) / value); };
  };
  // Up to the first quotient of more than 64 bits, which are the last of those that come again.
  patterns.push_back(integers(named("i * 2^64 / {}"), value, quotients(64)));
  patterns.push_back(integers(named("i * 2^96 / {}"), value >> 32, quotients(96)));
  patterns.push_back(
      integers(named("i ^ {}"), kEveryNumber, [=](std::uint64_t i) { return i ^ value; }));
}

}  // namespace

void add_counters(std::vector<RatePattern>& patterns) {
  patterns.push_back(integers("random", kEveryNumber, scramble));
  patterns.push_back(integers("i", kEveryNumber, [](std::uint64_t i) { return i; }));
  for (const int shift : {1, 4, 8, 12, 16, 20, 24, 32, 36, 40, 44, 48}) {
    patterns.push_back(integers(fmt::format("i << {}", shift), std::uint64_t{1} << (64 - shift),
                                [=](std::uint64_t i) { return i << shift; }));
  }
  for (const std::uint64_t stride : kStrides) {
    // Modulo 2^64, where an odd factor keeps numbers apart.
    patterns.push_back(integers(fmt::format("i * {:#x}", stride),
                                kEveryNumber >> std::countr_zero(stride),
                                [=](std::uint64_t i) { return i * stride; }));
  }
  for (const Factor& factor : kFactors) add_beside(patterns, factor);
  for (const auto& [a, b] : {std::pair(0, 3), std::pair(4, 5)}) {
    const std::uint64_t by = inverse(kFactors[a].value * kFactors[b].value);
    patterns.push_back(integers(fmt::format("i / ({} * {})", kFactors[a].name, kFactors[b].name),
                                kEveryNumber, [=](std::uint64_t i) { return i * by; }));
  }
}

}  // namespace bloomery::bench
