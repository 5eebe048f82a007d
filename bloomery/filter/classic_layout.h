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
#include "bloomery/filter/probe_scheme.h"

namespace bloomery {

// Probes anywhere in the array, as the scheme says: the smallest filter, and one cache miss a
// probe.
template <ProbeScheme Scheme>
class ClassicLayout {
 public:
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

  // The key itself where the scheme hashes it anew for each probe.
  Hashed hash(Key key) const noexcept {
    if constexpr (HashesOnce<Scheme>) {
      return scheme_.hash(key);
    } else {
      return key;
    }
  }
  // By reference: the result may be a key, whose bytes are the integer's.
  Hashed hash(const std::uint64_t& integer) const noexcept {
    if constexpr (requires { scheme_.hash(integer); }) {
      return scheme_.hash(integer);
    } else {
      static_assert(std::endian::native == std::endian::little);
      return hash(Key(reinterpret_cast<const char*>(&integer), sizeof integer));
    }
  }
  HashPair hash(HashPair pair) const noexcept requires HashesOnce<Scheme> { return pair; }
  template <class K>
  void hash_many(std::span<const K> keys,
                 HashPair* out) const noexcept requires HashesOnce<Scheme> {
    for (const K& key : keys) *out++ = hash(key);
  }

  bool may_contain(std::span<const std::uint64_t> words, Hashed hash) const noexcept {
    return test_probes(words, hash, 0, asked_probes());
  }

  bool insert(std::span<std::uint64_t> words, Hashed hash) const noexcept {
    bool added = false;
    for (std::uint32_t i = 0; i < geometry_.probe_count; ++i) {
      added |= set_bit(words, position(hash, i));
    }
    return added;
  }

  bool insert_concurrently(std::span<std::uint64_t> words, Hashed hash) const noexcept {
    bool added = false;
    for (std::uint32_t i = 0; i < geometry_.probe_count; ++i) {
      const std::uint64_t bit = position(hash, i);
      added |= set_mask_atomically(words[bit / kWordBits], bit_mask(bit));
    }
    return added;
  }

  // An absent key mostly fails one of its first probes. So only their lines are asked for at first;
  // keys that pass stand in a queue while the lines of their other probes come.
  template <class K>
  void may_contain_batch(std::span<const std::uint64_t> words, std::span<const K> keys,
                         bool* found) const noexcept {
    const std::uint32_t probes = asked_probes();
    const std::uint32_t first_probes = std::min(probes, kFirstProbes);
    const bool far = is_far(words);
    Waiting queue[kQueue];
    std::size_t head = 0;
    std::size_t tail = 0;
    const auto finish = [&](const Waiting& key) {
      found[key.index] = test_probes(words, key.hash, first_probes, probes);
    };
    run<kLookupLag>(words, keys, first_probes, [&](std::size_t index, Hashed hash) {
      bool passes = true;  // without jumps, which a processor could not foresee
      for (std::uint32_t i = 0; i < first_probes; ++i) passes &= test_bit(words, position(hash, i));
      found[index] = false;
      if (!passes) return;
      if (!far) return finish({index, hash});
      ask(words, hash, first_probes, probes);
      queue[tail++ % kQueue] = {index, hash};
      if (tail - head > kQueueLag) finish(queue[head++ % kQueue]);
    });
    for (; head < tail; ++head) finish(queue[head % kQueue]);
  }

  template <class K>
  std::size_t insert_batch(std::span<std::uint64_t> words, std::span<const K> keys,
                           bool* was_new) const noexcept {
    std::size_t added = 0;
    run<kInsertLag>(words, keys, geometry_.probe_count, [&](std::size_t i, Hashed hash) {
      const bool is_new = insert(words, hash);
      added += is_new ? 1 : 0;
      if (was_new != nullptr) was_new[i] = is_new;
    });
    return added;
  }

  static void merge(std::span<std::uint64_t> words,
                    std::span<const std::uint64_t> others) noexcept {
    merge_bits(words, others);
  }
  static BitView bits(std::span<const std::uint64_t> words) noexcept { return words; }

  // Calls visit(position) for every probe of a key, which may fall together.
  template <class Visit>
  void for_each_position(Hashed hash, Visit visit) const {
    for (std::uint32_t i = 0; i < geometry_.probe_count; ++i) visit(position(hash, i));
  }

  // Whether test(position) holds for every probe; stops at the first for which it does not.
  template <class Test>
  bool all_positions(Hashed hash, Test test) const {
    return all_probes(hash, 0, geometry_.probe_count, test);
  }

  // Calls visit(position) for the first position of every run of kLinePositions that a key touches.
  static constexpr std::uint64_t kLinePositions = 1;
  template <class Visit>
  void for_each_line(Hashed hash, Visit visit) const {
    for_each_position(hash, visit);
  }

  std::vector<std::uint64_t> positions(Hashed hash) const {
    std::vector<std::uint64_t> all;
    for_each_position(hash, [&](std::uint64_t position) { all.push_back(position); });
    return all;
  }

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

  static bool is_far(std::span<const std::uint64_t> words) noexcept {
    return words.size_bytes() >= kFarBytes;
  }

  template <class Test>
  bool all_probes(Hashed hash, std::uint32_t from, std::uint32_t to, Test test) const {
    for (std::uint32_t i = from; i < to; ++i) {
      if (!test(position(hash, i))) return false;
    }
    return true;
  }

  bool test_probes(std::span<const std::uint64_t> words, Hashed hash, std::uint32_t from,
                   std::uint32_t to) const noexcept {
    return all_probes(hash, from, to, [&](std::uint64_t at) { return test_bit(words, at); });
  }

  void ask(std::span<const std::uint64_t> words, Hashed hash, std::uint32_t from,
           std::uint32_t to) const noexcept {
    for (std::uint32_t i = from; i < to; ++i) {
      prefetch_far(&words[position(hash, i) / kWordBits]);
    }
  }

  // The pipeline over these keys, which asks for the lines of a key's first `asked` probes.
  template <std::size_t kLag, class K, class Probe>
  void run(std::span<const std::uint64_t> words, std::span<const K> keys, std::uint32_t asked,
           Probe probe) const {
    const auto hasher = hash_each_key(keys, [this](const K& key) { return hash(key); });
    const auto prefetch = [&](Hashed hash) { ask(words, hash, 0, asked); };
    run_pipeline<kLag, BlockOf<Hashed>>(is_far(words), keys.size(), hasher, prefetch, probe);
  }

  // The more lines a key asks for, the fewer keys ahead keep as many requests under way.
  static constexpr std::size_t kInsertLag = 24;
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
