// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "bloomery/bits/modulus.h"
#include "bloomery/filter/probe_scheme.h"
#include "bloomery/format/format.h"
#include "bloomery/hash/murmur3.h"

// Orestes-Bloomfilter (Java) with its default method, Murmur3KirschMitzenmacher.
//
// In Redis a filter is the bitmap NAME:bits, a string that SETBIT wrote (bit i is bit 7 - (i mod 8)
// of byte i / 8, up to the last byte that has one set), and the hash NAME with the fields m (bits),
// k (probes), n (keys), p (rate), c (bits of a counter) and hashmethod. A counting one has the hash
// NAME:counts besides, see orestes_counts.h.
//
// The JSON form is an object of three members, in any order: m, the number of probes h, and b, the
// base64 of BitSet.toByteArray() (bit i is bit (i mod 8), from the least significant, of byte i /
// 8):
//
//   {"m":1460,"h":6,"b":"IKugSdyU3Mu3UDjEZYTqSv4c..."}
namespace bloomery {

struct OrestesProbes {
  static constexpr FilterKind kKind = FilterKind::orestes;

  explicit OrestesProbes(const FilterParameters&) noexcept {}
  static Geometry geometry(const FilterOptions& options);
  static void check(const FilterParameters& parameters);

  HashPair hash(Key key) const noexcept {
    const std::uint32_t first = murmur3_32(key);
    return {first, murmur3_32(key, first)};
  }
  static std::uint64_t position(HashPair hash, std::uint32_t i, const Modulus& bit_count) noexcept {
    return (hash.h1 + i * hash.h2) % bit_count;
  }
};

namespace orestes {

// m = -n ln p / ln^2 2 and k = ln 2 m / n, both rounded up. Throws std::invalid_argument where that
// gives more than 2^31 - 1 bits or 255 probes.
Geometry geometry(std::uint64_t capacity, double rate);

// The parameters of a filter of a known geometry; the settings n and p are its promise.
FilterParameters parameters_of(const Geometry& geometry, const SettingsReader& read);

extern const Kind kKind;
extern const Format kFormat;      // the bitmap
extern const Format kJsonFormat;  // the JSON

}  // namespace orestes
}  // namespace bloomery
