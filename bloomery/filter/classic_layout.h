#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "bloomery/bits/bit_ops.h"
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
  static constexpr FilterKind kKind = Scheme::kKind;
  static constexpr std::uint32_t kMaxProbes = 255;

  explicit ClassicLayout(const FilterParameters& parameters) noexcept
      : scheme_(parameters), geometry_(parameters.geometry) {}

  static Geometry geometry(const FilterOptions& options) { return Scheme::geometry(options); }

  static void check(const FilterParameters& parameters) {
    const Geometry& geometry = parameters.geometry;
    if (geometry.lines_per_key != 0 || geometry.probe_count == 0 ||
        geometry.probe_count > kMaxProbes || geometry.bit_count == 0 ||
        geometry.bit_count % kWordBits != 0) {
      throw FormatError(
          "impossible geometry of a classic filter: " + std::to_string(geometry.bit_count) +
          " bits (a multiple of 64), " + std::to_string(geometry.probe_count) +
          " probes (1 to 255), " + std::to_string(geometry.lines_per_key) + " lines a key (0)");
    }
  }

  static std::uint64_t word_count(const FilterParameters& parameters) noexcept {
    return parameters.geometry.bit_count / kWordBits;
  }

  HashPair hash(Key key) const noexcept { return scheme_.hash(key); }
  HashPair hash(std::uint64_t integer) const noexcept { return scheme_.hash(integer); }
  HashPair hash(HashPair pair) const noexcept { return pair; }
  template <class K>
  void hash_many(std::span<const K> keys, HashPair* out) const noexcept {
    for (const K& key : keys) *out++ = hash(key);
  }

  bool may_contain(std::span<const std::uint64_t> words, HashPair hash) const noexcept {
    for (std::uint32_t i = 0; i < geometry_.probe_count; ++i) {
      if (!test_bit(words, position(hash, i))) return false;
    }
    return true;
  }

  bool insert(std::span<std::uint64_t> words, HashPair hash) const noexcept {
    bool added = false;
    for (std::uint32_t i = 0; i < geometry_.probe_count; ++i) {
      added |= set_bit(words, position(hash, i));
    }
    return added;
  }

  bool insert_concurrently(std::span<std::uint64_t> words, HashPair hash) const noexcept {
    bool added = false;
    for (std::uint32_t i = 0; i < geometry_.probe_count; ++i) {
      const std::uint64_t bit = position(hash, i);
      added |= set_mask_atomically(words[bit / kWordBits], bit_mask(bit));
    }
    return added;
  }

  template <class K>
  void may_contain_batch(std::span<const std::uint64_t> words, std::span<const K> keys,
                         bool* found) const noexcept {
    run(words, keys, [&](std::size_t i, HashPair hash) { found[i] = may_contain(words, hash); });
  }

  template <class K>
  std::size_t insert_batch(std::span<std::uint64_t> words, std::span<const K> keys,
                           bool* was_new) const noexcept {
    std::size_t added = 0;
    run(words, keys, [&](std::size_t i, HashPair hash) {
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
  void for_each_position(HashPair hash, Visit visit) const {
    for (std::uint32_t i = 0; i < geometry_.probe_count; ++i) visit(position(hash, i));
  }

  std::vector<std::uint64_t> positions(HashPair hash) const {
    std::vector<std::uint64_t> all;
    for_each_position(hash, [&](std::uint64_t position) { all.push_back(position); });
    return all;
  }

 private:
  std::uint64_t position(HashPair hash, std::uint32_t i) const noexcept {
    return Scheme::position(hash, i, geometry_.bit_count);
  }

  template <class K, class Probe>
  void run(std::span<const std::uint64_t> words, std::span<const K> keys, Probe probe) const {
    const auto hash_block = [&](std::size_t first, std::size_t count, HashPair* out) {
      prefetch_keys(keys.data() + first);
      hash_many(keys.subspan(first, count), out);
    };
    const auto prefetch = [&](HashPair hash) {
      for (std::uint32_t i = 0; i < geometry_.probe_count; ++i) {
        prefetch_far(&words[position(hash, i) / kWordBits]);
      }
    };
    if (words.size_bytes() < kFarBytes) {
      run_pipeline<0>(keys.size(), hash_block, prefetch, probe);
    } else {
      run_pipeline<kClassicLag>(keys.size(), hash_block, prefetch, probe);
    }
  }

  // Each key asks for as many lines as it has probes: fewer keys ahead keep as many requests under
  // way.
  static constexpr std::size_t kClassicLag = 24;

  Scheme scheme_;
  Geometry geometry_;
};

}  // namespace bloomery
