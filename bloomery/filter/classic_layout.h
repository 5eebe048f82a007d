// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "bloomery/bits/bit_ops.h"
#include "bloomery/bits/modulus.h"
#include "bloomery/errors.h"
#include "bloomery/filter/batch_pipeline.h"
#include "bloomery/filter/layout.h"
#include "bloomery/filter/narrow_hash.h"
#include "bloomery/filter/probe_scheme.h"
#include "bloomery/filter/rates.h"

namespace bloomery {

// Probes anywhere in the array, as the scheme says: the smallest filter, and one cache miss a
// probe.
template <ProbeScheme S>
class ClassicLayout {
 public:
  using Scheme = S;
  using Hashed = bloomery::Hashed<Scheme>;
  static constexpr FilterKind kKind = Scheme::kKind;
  static constexpr std::uint32_t kMaxProbes = 255;
  static constexpr std::uint64_t kMaxBits = std::uint64_t{1} << 60;

  explicit ClassicLayout(const FilterParameters& parameters) noexcept
      : scheme_(parameters), geometry_(parameters.geometry), bit_count_(geometry_.bit_count) {}

  static Geometry geometry(const FilterOptions& options) { return Scheme::geometry(options); }

  static void check(const FilterParameters& parameters) {
    const Geometry& geometry = parameters.geometry;
    if (geometry.lines_per_key != 0 || geometry.probe_count == 0 ||
        geometry.probe_count > kMaxProbes || geometry.bit_count == 0 ||
        geometry.bit_count > kMaxBits) {
      throw FormatError(
          "impossible geometry of a classic filter: " + std::to_string(geometry.bit_count) +
          " bits (1 to 2^60), " + std::to_string(geometry.probe_count) + " probes (1 to 255), " +
          std::to_string(geometry.lines_per_key) + " lines a key (0)");
    }
    if constexpr (requires { Scheme::check(parameters); }) Scheme::check(parameters);
  }

  // Bits of the last word beyond bit_count are zero.
  static std::uint64_t word_count(const FilterParameters& parameters) noexcept {
    return (parameters.geometry.bit_count + kWordBits - 1) / kWordBits;
  }

  static double rate(const FilterParameters& parameters,
                     double keys) noexcept requires HashesNarrowly<Scheme> {
    return predicted_rate(parameters.geometry, Scheme::kNarrowHash, keys);
  }
  FillState fill_state(Words words) const noexcept requires HashesNarrowly<Scheme> {
    return bloomery::fill_state(geometry_, Scheme::kNarrowHash, words);
  }
  double rate_now(Words words) const noexcept requires HashesByNumber<Scheme> {
    return rate_by_trial(Scheme::kNarrowHash, fill_state(words).predicted_rate, [&](auto number) {
      return may_contain(words, Scheme::numbered_hash(number));
    });
  }
  // A trial finds nothing where the rate is low, and independent probes would have a lower one.
  double rate_now(Words words) const requires DependentProbes<Scheme> {
    return std::max(current_rate(geometry_, BitView(words)),
                    Scheme::rate_now(words, geometry_.bit_count, asked_probes()));
  }

  // The key itself where the scheme hashes it anew for each probe.
  Hashed hash(Key key) const noexcept {
    if constexpr (HashesOnce<Scheme>) {
      return scheme_.hash(key);
    } else {
      return key;
    }
  }
  // Takes the integer by reference: the result may be a key, whose bytes are the integer's.
  Hashed hash(const std::uint64_t& integer) const noexcept {
    if constexpr (requires { scheme_.hash(integer); }) {
      return scheme_.hash(integer);
    } else {
      return hash(as_key(integer));
    }
  }
  bool may_contain(Words words, Hashed hash) const noexcept {
    return test_probes(words, hash, 0, asked_probes());
  }

  // An absent key mostly fails one of its first probes. So only their lines are asked for at first;
  // keys that pass stand in a queue while the lines of their other probes come.
  template <class K>
  void may_contain_batch(Words words, std::span<const K> keys, bool* found) const noexcept {
    const std::uint32_t probes = asked_probes();
    const std::uint32_t first_probes = std::min(probes, kFirstProbes);
    const bool far = is_far(words);
    Waiting queue[kQueue];
    std::size_t head = 0;
    std::size_t tail = 0;
    const auto finish = [&, this](const Waiting& key) {
      found[key.index] = test_probes(words, key.hash, first_probes, probes);
    };
    const auto hasher = hash_each_key(keys, [this](const K& key) { return hash_of(*this, key); });
    const auto ask = [&, this](Hashed hash) { prefetch(words, hash, 0, first_probes); };
    run_pipeline<kLookupLag, BlockOf<Hashed>>(
        far, keys.size(), hasher, ask, [&, this](std::size_t index, Hashed hash) {
          bool passes = true;  // without jumps, which a processor could not foresee
          for (std::uint32_t i = 0; i < first_probes; ++i)
            passes &= test_bit(words, position(hash, i));
          found[index] = false;
          if (!passes) return;
          if (!far) return finish({index, hash});
          prefetch(words, hash, first_probes, probes);
          queue[tail++ % kQueue] = {index, hash};
          if (tail - head > kQueueLag) finish(queue[head++ % kQueue]);
        });
    for (; head < tail; ++head) finish(queue[head % kQueue]);
  }

  template <class Test>
  bool all_positions(Hashed hash, Test test) const {
    return all_probes(hash, 0, geometry_.probe_count, test);
  }

  void prefetch(Words words, Hashed hash) const noexcept {
    prefetch(words, hash, 0, geometry_.probe_count);
  }

  // Calls visit(position) for the first position of every run of kLinePositions that a key touches.
  static constexpr std::uint64_t kLinePositions = 1;
  template <class Visit>
  void for_each_line(Hashed hash, Visit visit) const {
    for (std::uint32_t i = 0; i < geometry_.probe_count; ++i) visit(position(hash, i));
  }

  // The more lines a key asks for, the fewer keys ahead keep as many requests under way.
  static constexpr std::size_t kLag = 24;

 private:
  std::uint32_t asked_probes() const noexcept {
    if constexpr (requires { Scheme::asked_probes(std::uint32_t{}); }) {
      return Scheme::asked_probes(geometry_.probe_count);
    } else {
      return geometry_.probe_count;
    }
  }

  std::uint64_t position(Hashed hash, std::uint32_t i) const noexcept {
    return scheme_.position(hash, i, bit_count_);
  }

  template <class Test>
  bool all_probes(Hashed hash, std::uint32_t from, std::uint32_t to, Test test) const {
    for (std::uint32_t i = from; i < to; ++i) {
      if (!test(position(hash, i))) return false;
    }
    return true;
  }

  bool test_probes(Words words, Hashed hash, std::uint32_t from, std::uint32_t to) const noexcept {
    return all_probes(hash, from, to, [&](std::uint64_t at) { return test_bit(words, at); });
  }

  void prefetch(Words words, Hashed hash, std::uint32_t from, std::uint32_t to) const noexcept {
    for (std::uint32_t i = from; i < to; ++i) {
      prefetch_far(&words[position(hash, i) / kWordBits]);
    }
  }

  // Look-ups ask for few lines at first.
  static constexpr std::size_t kLookupLag = 56;
  static constexpr std::uint32_t kFirstProbes = 3;
  static constexpr std::size_t kQueueLag = 12;
  static constexpr std::size_t kQueue = std::bit_ceil(kQueueLag + 1);

  // A key whose first probes have passed.
  struct Waiting {
    std::size_t index;
    Hashed hash;
  };

  Scheme scheme_;
  Geometry geometry_;
  Modulus bit_count_;
};

}  // namespace bloomery
