// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "bloomery/filter/any_filter.h"
#include "bloomery/filter/parameters.h"
#include "bloomery/filter/probe_scheme.h"
#include "bloomery/format/format.h"
#include "bloomery/hash/fnv.h"

// DCSO bloom, version 1: the files of its Go library and of its command `bloom` (Debian's
// golang-github-dcso-bloom-cli), of flor, Tenzir and the CIRCL hashlookup sets. Little-endian.
//
//    0  version 8B      1 in the lowest byte; the others are written as 0 and not looked at
//    8  n 8B            keys it is made for
//   16  p 8B            the rate then, a double
//   24  k 8B            probes
//   32  m 8B            bits
//   40  N 8B            keys in it: inserts that set a bit
//   48  ceil(m / 64) words; bit i is bit (i mod 64), from the least significant, of word i / 64
//    .  user data       any bytes, to the end
//
// User data stays with the filter and is written again. The command also packs such files with
// gzip; these are refused with a sentence that says how to unpack them.
namespace bloomery::dcso {

struct Probes {
  static constexpr FilterKind kKind = FilterKind::dcso;

  // The largest prime below 2^64, and the factor of the chain.
  static constexpr std::uint64_t kPrime = 18446744073709551557U;
  static constexpr std::uint64_t kFactor = 18446744073709550147U;

  explicit Probes(const FilterParameters&) noexcept {}

  // m = trunc(n |ln p| / ln^2 2), k = ceil(m ln 2 / n). Throws std::invalid_argument where that is
  // no bit or more than 255 probes.
  static Geometry geometry(const FilterOptions& options);

  static HashPair hash(Key key) noexcept { return {fnv1_64(key) % kPrime, 0}; }
  // Each step needs the one before: probe i costs i + 1 multiplications.
  static std::uint64_t position(HashPair hash, std::uint32_t i, std::uint64_t bit_count) noexcept {
    std::uint64_t value = hash.h1;
    for (std::uint32_t step = 0; step <= i; ++step) {
      value *= kFactor;  // mod 2^64, and then mod the prime
      if (value >= kPrime) value -= kPrime;
    }
    return value % bit_count;
  }
};

// Throws FormatError, naming offset and field, also for a filter made for no keys or of no bits,
// which cannot hold any.
AnyFilter decode(std::span<const std::byte> bytes);

extern const Format kFormat;

}  // namespace bloomery::dcso
