// SPDX-License-Identifier: Apache-2.0
// The rate of Redisson's rule, by trial.
#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "bloomery/bits/bit_ops.h"
#include "bloomery/format/redisson.h"
#include "bloomery/format/redisson_probes.h"

namespace bloomery::redisson {
namespace {

constexpr std::uint64_t kTrialKeys = 50'000;
constexpr std::uint64_t kQuestions = 1'000'000;
// Common factors of the size and small numbers move the rate, so a trial's size has the same.
constexpr std::uint64_t kResidues = 5'040;

// Random words from a fixed seed (Steele, Lea, Flood 2014: SplitMix).
class Random {
 public:
  std::uint64_t next() noexcept {
    state_ += 0x9e3779b97f4a7c15;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  HashPair pair() noexcept {
    const std::uint64_t first = next();
    return {first, next()};
  }

 private:
  std::uint64_t state_ = 2026;
};

// The share of keys that the bits answer "maybe" about. Odd probes are multiples of d = h1 + h2,
// even ones are h1 and such a multiple. So questions are asked in two steps, which tells low rates
// too: how many d pass by their odd probes; and, of those, how many h1 pass by their even ones.
double rate_by_questions(Random random, std::span<const std::uint64_t> words,
                         std::uint64_t bit_count, std::uint32_t probe_count) {
  const Modulus size(bit_count);
  const auto passes = [&](HashPair hash, std::uint32_t first) {
    for (std::uint32_t i = first; i < probe_count; i += 2) {
      if (!test_bit(words, RedissonProbes::position(hash, i, size))) return false;
    }
    return true;
  };
  std::vector<std::uint64_t> sums;
  for (std::uint64_t question = 0; question < kQuestions; ++question) {
    const std::uint64_t sum = random.next();
    if (passes({0, sum}, 1)) sums.push_back(sum);
  }
  if (sums.empty()) return 0;
  std::uint64_t hits = 0;
  for (std::uint64_t question = 0; question < kQuestions; ++question) {
    const std::uint64_t first = random.next();
    hits += passes({first, sums[question % sums.size()] - first}, 0) ? 1 : 0;
  }
  const auto questions = static_cast<double>(kQuestions);
  return static_cast<double>(sums.size()) / questions * (static_cast<double>(hits) / questions);
}

}  // namespace

double expected_rate(std::uint64_t bit_count, std::uint32_t probe_count, std::uint64_t keys) {
  if (keys == 0) return 0;
  std::uint64_t bits = bit_count;
  if (keys > kTrialKeys) {
    const double scaled = static_cast<double>(bit_count) * static_cast<double>(kTrialKeys) /
                          static_cast<double>(keys);
    const auto whole = static_cast<std::uint64_t>(scaled) / kResidues;
    bits = std::min(bit_count, whole * kResidues + bit_count % kResidues);
    keys = static_cast<std::uint64_t>(std::llround(
        static_cast<double>(keys) * static_cast<double>(bits) / static_cast<double>(bit_count)));
  }
  std::vector<std::uint64_t> words((bits + kWordBits - 1) / kWordBits);
  Random random;
  for (std::uint64_t key = 0; key < keys; ++key) {
    const HashPair hash = random.pair();
    for (std::uint32_t i = 0; i < probe_count; ++i) {
      set_bit(words, RedissonProbes::position(hash, i, bits));
    }
  }
  return rate_by_questions(random, words, bits, probe_count);
}

}  // namespace bloomery::redisson

namespace bloomery {

double RedissonProbes::rate_now(std::span<const std::uint64_t> words, std::uint64_t bit_count,
                                std::uint32_t asked_probes) {
  return redisson::rate_by_questions({}, words, bit_count, asked_probes);
}

}  // namespace bloomery
