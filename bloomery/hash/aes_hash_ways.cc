// SPDX-License-Identifier: Apache-2.0
#include "bloomery/hash/aes_hash.h"

#include <array>
#include <bit>
#include <vector>

#include "bloomery/hash/aes_hash_ways.h"
#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__aarch64__)
#include "bloomery/os/processor.h"
#endif

namespace bloomery {
namespace {

using Byte = std::uint8_t;

constexpr Byte twice(Byte a) {
  return static_cast<Byte>(a << 1 ^ (a >> 7) * 0x1b);
}

constexpr Byte product(Byte a, Byte b) {
  Byte sum = 0;
  for (; b != 0; b >>= 1, a = twice(a)) sum ^= (b & 1) != 0 ? a : 0;
  return sum;
}

// SubBytes of FIPS 197, 5.1.1: the inverse in GF(2^8), which is the power of 254, and a sum of its
// rotations.
constexpr Byte substitute(Byte a) {
  Byte inverse = 1;
  for (int i = 0; i < 7; ++i) inverse = product(product(inverse, inverse), a);
  inverse = product(inverse, inverse);
  Byte sum = 0x63;
  for (int i = 0; i < 5; ++i) sum ^= std::rotl(inverse, i);
  return sum;
}

// kColumns: what a substituted byte of row 0 adds to its column. Bytes of the other rows add the
// same, turned.
constexpr std::array<std::uint32_t, 256> kColumns = [] {
  std::array<std::uint32_t, 256> columns{};
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const Byte once = substitute(static_cast<Byte>(i));
    const std::uint32_t thrice = twice(once) ^ once;
    columns[i] = twice(once) | std::uint32_t{once} << 8 | std::uint32_t{once} << 16 | thrice << 24;
  }
  return columns;
}();

struct Portable {
  struct Lane {
    std::uint64_t low;
    std::uint64_t high;
  };

  static Lane of_words(std::uint64_t low, std::uint64_t high) { return {low, high}; }
  static HashPair words(Lane lane) { return {lane.low, lane.high}; }
  static Lane load(const char* at) {
    Lane lane;
    std::memcpy(&lane, at, sizeof lane);
    return lane;
  }
  static Lane drop(Lane lane, std::size_t count) {
    if (count >= kAesLane) return {0, 0};
    const Uint128 left = (Uint128{lane.high} << 64 | lane.low) >> (8 * count);
    return {static_cast<std::uint64_t>(left), static_cast<std::uint64_t>(left >> 64)};
  }
  static constexpr Lane add(Lane a, Lane b) { return {a.low ^ b.low, a.high ^ b.high}; }

  static constexpr Lane round(Lane lane, Lane key) {
    const std::uint64_t a = lane.low;
    const std::uint64_t b = lane.low >> 32;
    const std::uint64_t c = lane.high;
    const std::uint64_t d = lane.high >> 32;
    return add({column(a, b, c, d) | column(b, c, d, a) << 32,
                column(c, d, a, b) | column(d, a, b, c) << 32},
               key);
  }

 private:
  // ShiftRows takes each row of a column from the next of four columns.
  static constexpr std::uint64_t column(std::uint64_t a, std::uint64_t b, std::uint64_t c,
                                        std::uint64_t d) {
    const auto row = [](std::uint64_t of, int r) {
      return std::rotl(kColumns[static_cast<Byte>(of >> (8 * r))], 8 * r);
    };
    return row(a, 0) ^ row(b, 1) ^ row(c, 2) ^ row(d, 3);
  }
};

constinit const AesWay kPortable = aes_way<Portable>("portable");

// AesKeys::kRest is what it says.
static_assert([] {
  Portable::Lane rest{};
  for (std::size_t i = 1; i < kAesLanes; ++i) {
    const auto key = [&](const std::uint64_t* of) {
      return Portable::Lane{of[2 * i], of[2 * i + 1]};
    };
    Portable::Lane lane = key(AesKeys::kBegin);
    for (const auto& round_key : {AesKeys::kFirst, AesKeys::kSecond, AesKeys::kThird}) {
      lane = Portable::round(lane, key(round_key));
    }
    rest = Portable::add(rest, lane);
  }
  return rest.low == AesKeys::kRest[0] && rest.high == AesKeys::kRest[1];
}());

#if defined(__x86_64__)
// Asks for VAES, for which clang 14 has no name.
bool has_vaes() {
  unsigned eax = 0;
  unsigned ebx = 0;
  unsigned ecx = 0;
  unsigned edx = 0;
  return __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) != 0 && (ecx & bit_VAES) != 0;
}
#endif

std::vector<const AesWay*> possible_ways() {
  std::vector<const AesWay*> ways;
#if defined(__x86_64__)
  const auto has = [](auto... features) { return (... && (features != 0)); };
  if (has(__builtin_cpu_supports("avx512bw"), __builtin_cpu_supports("avx512dq"),
          __builtin_cpu_supports("bmi2"), __builtin_cpu_supports("aes"), has_vaes())) {
    ways.push_back(&kAesAvx512);
  }
  if (has(__builtin_cpu_supports("aes"), __builtin_cpu_supports("sse4.1"))) {
    ways.push_back(&kAesX86);
  }
#elif defined(__aarch64__)
  if (os::has_arm_aes()) ways.push_back(&kAesNeon);
#endif
  ways.push_back(&kPortable);
  return ways;
}

const AesWay& fastest() noexcept {
  static const AesWay& way = *aes_ways().front();
  return way;
}

}  // namespace

std::span<const AesWay* const> aes_ways() {
  static const std::vector<const AesWay*> ways = possible_ways();
  return ways;
}

HashPair aes_hash(Key key, std::uint64_t spread) noexcept {
  return fastest().one(key, spread);
}

void aes_hash_block(const Key* keys, std::size_t count, std::uint64_t spread, std::uint64_t* h1,
                    std::uint64_t* h2) noexcept {
  fastest().block(keys, count, spread, h1, h2);
}

void aes_hash_numbers(const std::uint64_t* numbers, std::size_t count, std::uint64_t spread,
                      std::uint64_t* h1, std::uint64_t* h2) noexcept {
  fastest().numbers(numbers, count, spread, h1, h2);
}

}  // namespace bloomery
