// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "bloomery/bits/modulus.h"
#include "bloomery/filter/parameters.h"
#include "bloomery/filter/probe_scheme.h"
#include "bloomery/hash/highway_hash.h"

namespace bloomery {

// Redisson's rule: a value that begins at h1 and to which h2 and h1 are added in turns. Probes 1,
// 3, 5, ... are therefore h1 + h2 and its multiples, which is why keys collide more often than
// independent probes would (see redisson.h).
struct RedissonProbes {
  static constexpr FilterKind kKind = FilterKind::redisson;

  explicit RedissonProbes(const FilterParameters&) noexcept {}
  static Geometry geometry(const FilterOptions& options);

  // The rate of these bits, by trial as expected_rate() of redisson.h.
  static double rate_now(std::span<const std::uint64_t> words, std::uint64_t bit_count,
                         std::uint32_t asked_probes);

  HashPair hash(Key key) const noexcept {
    static constexpr SecretKey kKey{
        {0x9e3779b97f4a7c15, 0xf39cc0605cedc834, 0x1082276bf3a27251, 0xf86c6a11d0c18e95}};
    return highway_hash_128(key, kKey);
  }

  static std::uint64_t position(HashPair hash, std::uint32_t i, const Modulus& bit_count) noexcept {
    const std::uint64_t second = (std::uint64_t{i} + 1) / 2;
    const std::uint64_t sum = (i / 2 + std::uint64_t{1}) * hash.h1 + second * hash.h2;
    return (sum & 0x7fffffffffffffff) % bit_count;
  }
};

// Questions of releases up to 3.22.1: all probes but the last. Inserts set all probes.
struct RedissonLegacyProbes : RedissonProbes {
  static constexpr FilterKind kKind = FilterKind::redisson_legacy;
  using RedissonProbes::RedissonProbes;
  static std::uint32_t asked_probes(std::uint32_t probe_count) noexcept { return probe_count - 1; }
};

}  // namespace bloomery
