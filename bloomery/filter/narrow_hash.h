// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>

#include "bloomery/bits/bit_view.h"
#include "bloomery/filter/geometry.h"
#include "bloomery/filter/layout.h"
#include "bloomery/hash/integer_hash.h"

// Filters of systems whose hash is narrow. A key that has the very hash of another is there with
// it, however many bits there are. And where a probe is one of few values, modulo the number of
// bits, it falls on the first bits more often than on the others, and never on those behind the
// last value.
namespace bloomery {

struct NarrowHash {
  static constexpr double kWide = std::numeric_limits<double>::infinity();

  double hashes = kWide;           // how many a key may have
  double probe_values = kWide;     // how many a probe may have, before it is taken modulo the bits
  std::uint32_t alike_probes = 0;  // that tell no key from another
  // The third probe is the sum of two halves, so that its values are few, and make a triangle.
  double third_values = kWide;
};

// A scheme whose hash is narrow: says so by a member kNarrowHash. Its probes are anywhere in the
// array.
template <class S>
concept HashesNarrowly = requires {
  { S::kNarrowHash } -> std::convertible_to<NarrowHash>;
};

// One whose probes depend on each other, so that only a trial tells the rate of bits: has
// numbered_hash(number), for each of its hashes.
template <class S>
concept HashesByNumber = HashesNarrowly<S> && requires {
  { S::numbered_hash(std::uint64_t{}) } -> std::same_as<HashPair>;
};

// Returns the chance that at least one of two independent events happens.
constexpr double either(double one, double other) noexcept {
  return one + other - one * other;
}

// The share of all hashes, told by number, that pass: of drawn ones, until enough passed, and a
// million at most. `otherwise`, which is about that, where too few of these pass to tell it.
template <class Passes>
double rate_by_trial(const NarrowHash& hash, double otherwise, Passes passes) {
  constexpr std::uint64_t kDraws = 1 << 20;
  constexpr std::uint64_t kTelling = 400;
  constexpr std::uint64_t kEnough = 4'000;
  if (otherwise * kDraws < kTelling / 4) return otherwise;
  const auto all = static_cast<std::uint64_t>(hash.hashes);
  std::uint64_t passed = 0;
  for (std::uint64_t i = 0; i < kDraws; ++i) {
    if (!passes(IntegerHash::hash(i, IntegerHash::spread_seed(0)).h1 % all)) continue;
    // The last one passed because the trial ended there.
    if (++passed == kEnough) return static_cast<double>(kEnough - 1) / static_cast<double>(i);
  }
  if (passed < kTelling) return otherwise;
  return static_cast<double>(passed) / static_cast<double>(kDraws);
}

// predicted_rate, fill_state: what rates.h computes, for filters whose hash is narrow.
double predicted_rate(const Geometry& geometry, const NarrowHash& hash, double keys) noexcept;
FillState fill_state(const Geometry& geometry, const NarrowHash& hash,
                     const BitView& bits) noexcept;

}  // namespace bloomery
