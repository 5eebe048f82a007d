// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "bloomery/filter/any_filter.h"
#include "bloomery/format/format.h"

// RBloomFilter of Redisson (Java). In Redis it is two keys: a bitmap at its name, written by
// SETBIT, so bit i is bit 7 - (i mod 8) of byte i / 8 and the string ends with the last byte that
// has one set; and a hash of four texts at config_key(name):
//
//   size                m, the number of bits
//   hashIterations      k
//   expectedInsertions  n, as it was asked for
//   falseProbability    p, as Java writes a double: 0.03, 1.0E-4
//
// The bytes that are hashed are what the filter's codec makes of a value: the UTF-8 text
// (StringCodec), the decimal digits (LongCodec), or kryo.h (Kryo5Codec, the default since 3.19).
namespace bloomery::redisson {

// The configuration hash. The names of FormatSettings are those of its fields.
struct Config {
  std::uint64_t size = 0;                 // bits
  std::uint32_t hash_iterations = 0;      // probes of a key
  std::uint64_t expected_insertions = 0;  // the capacity
  double false_probability = 0;           // the rate
};

// The size and probes that tryInit chooses. Throws std::invalid_argument where tryInit refuses: no
// bits, or more than 4,294,967,294.
Config config_for(std::uint64_t capacity, double rate);

// The fewest bits, of a number without small factors, with which the rule keeps the rate after all
// (see expected_rate); readers take size and iterations from the hash, so any Redisson can share
// it.
Config oversized_config(std::uint64_t capacity, double rate);

// The rate that Redisson's rule has with `keys` keys: higher than that of independent probes, as
// its odd probes are multiples of one number; most where the size is even, or has other small
// factors. Found by trial, over fixed samples: within a few percent down to rates of 10^-6; below,
// rather too high for filters of more than 50,000 keys, which are tried smaller. Takes some 0.1 s.
double expected_rate(std::uint64_t bit_count, std::uint32_t probe_count, std::uint64_t keys);

std::string config_key(std::string_view name);
FormatSettings settings_of(const Config& config);

// `legacy`: answers as releases up to 3.22.1 do, which ask for one probe less.
AnyFilter create(const Config& config, bool legacy = false);
AnyFilter decode(std::span<const std::byte> bitmap, const Config& config, bool legacy = false);

// RBloomFilter.count: round(-m/k ln(1 - bits/m)). Throws std::invalid_argument where all are set.
std::uint64_t count(const AnyFilter& filter);

// The text that Java's Double.toString() gives.
std::string java_double(double value);

extern const Format kFormat;

}  // namespace bloomery::redisson
