// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <span>
#include <string>

#include "bloomery/bits/bit_ops.h"
#include "bloomery/errors.h"
#include "bloomery/filter/batch_pipeline.h"
#include "bloomery/filter/layout.h"
#include "bloomery/filter/narrow_hash.h"
#include "bloomery/filter/rates.h"

namespace bloomery {

// The scheme of a foreign format whose probes of a key all stay within one line of kLineBits bits.
//
//   line(hash, line_count)   which line
//   bit(hash, i)             the i-th probe's place in it, which is one of kLineHashes with all the
//                            others of a key: a key that shares line and these is there, too
//   line_rate(line, probes)  the chance that all probes of an absent key hit set bits of this line
//   check(parameters)        throws FormatError for sizes and probes it never has
template <class S>
concept LineScheme = requires(const FilterOptions& options, const FilterParameters& parameters,
                              Key key, HashPair hash, std::uint32_t i, std::uint64_t line_count,
                              const BitView& line) {
  requires S::kLineBits % kWordBits == 0;
  requires std::same_as<decltype(S::kLineHashes), const double>;
  requires std::convertible_to<decltype(S::kKind), FilterKind>;
  requires std::same_as<decltype(S::geometry(options)), Geometry>;
  S::check(parameters);
  requires std::same_as<decltype(S::hash(key)), HashPair>;
  requires std::same_as<decltype(S::line(hash, line_count)), std::uint64_t>;
  requires std::same_as<decltype(S::bit(hash, i)), std::uint32_t>;
  requires std::same_as<decltype(S::line_rate(line, i)), double>;
};

// All probes of a key within one line: one cache miss a key. Slower than our own blocked filters,
// whose lines are made for vector units; the bits are the foreign system's.
template <LineScheme Scheme>
class OneLineLayout {
 public:
  static constexpr FilterKind kKind = Scheme::kKind;
  static constexpr std::uint32_t kLineBits = Scheme::kLineBits;

  explicit OneLineLayout(const FilterParameters& parameters) noexcept
      : geometry_(parameters.geometry), line_count_(geometry_.bit_count / kLineBits) {}

  static Geometry geometry(const FilterOptions& options) { return Scheme::geometry(options); }

  static void check(const FilterParameters& parameters) {
    const Geometry& geometry = parameters.geometry;
    if (geometry.lines_per_key != 1 || geometry.line_bits != kLineBits || geometry.bit_count == 0 ||
        geometry.bit_count % kLineBits != 0 || geometry.probe_count == 0) {
      throw FormatError(
          "impossible geometry of a filter of lines: " + std::to_string(geometry.bit_count) +
          " bits (whole lines of " + std::to_string(kLineBits) + "), " +
          std::to_string(geometry.probe_count) + " probes (at least 1), " +
          std::to_string(geometry.lines_per_key) + " lines a key (1)");
    }
    Scheme::check(parameters);
  }

  static std::uint64_t word_count(const FilterParameters& parameters) noexcept {
    return parameters.geometry.bit_count / kWordBits;
  }

  static double rate(const FilterParameters& parameters, double keys) noexcept {
    const Geometry& geometry = parameters.geometry;
    const auto lines = static_cast<double>(geometry.bit_count / kLineBits);
    return either(predicted_rate(geometry, keys), same_hash(keys / lines));
  }

  HashPair hash(Key key) const noexcept { return Scheme::hash(key); }
  HashPair hash(std::uint64_t integer) const noexcept { return Scheme::hash(as_key(integer)); }
  // The rate is the mean over the lines: a key falls on each alike.
  FillState fill_state(std::span<const std::uint64_t> words) const {
    const BitView all = words;
    const std::uint64_t ones = all.count_ones();
    double rates = 0;
    for (std::size_t at = 0; at < words.size(); at += kLineWordCount) {
      rates += Scheme::line_rate(all.subview(at, kLineWordCount), geometry_.probe_count);
    }
    const auto lines = static_cast<double>(line_count_);
    const double keys = estimate_cardinality(geometry_, ones);
    return {static_cast<double>(ones) / static_cast<double>(geometry_.bit_count), keys,
            either(rates / lines, same_hash(keys / lines))};
  }

  template <class Test>
  bool all_positions(HashPair hash, Test test) const {
    const std::uint64_t first = first_position(hash);
    for (std::uint32_t i = 0; i < geometry_.probe_count; ++i) {
      if (!test(first + Scheme::bit(hash, i))) return false;
    }
    return true;
  }
  void prefetch(Words words, HashPair hash) const noexcept {
    prefetch_far(&words[first_position(hash) / kWordBits]);
  }

 private:
  static constexpr std::size_t kLineWordCount = kLineBits / kWordBits;

  // The chance that one of so many keys of a line has the very bits of an absent one.
  static double same_hash(double keys) noexcept {
    return -std::expm1(keys * std::log1p(-1 / Scheme::kLineHashes));
  }

  std::uint64_t first_position(HashPair hash) const noexcept {
    return Scheme::line(hash, line_count_) * kLineBits;
  }

  Geometry geometry_;
  std::uint64_t line_count_;
};

}  // namespace bloomery
