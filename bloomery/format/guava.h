// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/filter/any_filter.h"
#include "bloomery/format/format.h"

// BloomFilter of Guava (Java): what writeTo writes and readFrom reads. Numbers are big-endian.
//
//   +-------------+-----------+----------+----------------------+
//   | strategy 1B | probes 1B | longs 4B | the longs, 8B each   |
//   +-------------+-----------+----------+----------------------+
//
// strategy 0 is MURMUR128_MITZ_32, 1 is MURMUR128_MITZ_64 (the default since Guava 17). Bit i is
// bit (i mod 64), from the least significant, of long i / 64. Neither the funnel, nor how many keys
// the filter was made for, nor how many it has is in the bytes. As in Java, bytes that follow are
// left alone.
namespace bloomery::guava {

// A filter of scheme mitz_64 or mitz_32. merge() is Guava's putAll.
using Filter = AnyFilter;

enum class Strategy : std::uint8_t { mitz_32 = 0, mitz_64 = 1 };

// How many probes a new filter has. Filters merge only where both were made by one rule.
enum class ProbeRule {
  from_rate,  // round(-log2 p), at least 1: since the end of 2024
  from_size,  // round(m / n ln 2), at least 1: before
};

// Throws std::invalid_argument for what Guava refuses: a rate outside (0, 1), more than 255 probes,
// no bits. A capacity of 0 counts as 1.
Geometry geometry(std::uint64_t capacity, double rate, ProbeRule rule);
Filter create(std::uint64_t capacity, double rate, Strategy strategy = Strategy::mitz_64,
              ProbeRule rule = ProbeRule::from_rate);

// Throws FormatError where readFrom throws, naming offset and field. Leaves what is behind the
// longs, as that does; kFormat.decode refuses it. The capacity of the result is what its size fits
// best.
Filter decode(std::span<const std::byte> bytes);
std::vector<std::byte> encode(const Filter& filter);

// BloomFilter.approximateElementCount. Throws std::invalid_argument where all bits are set, as
// Guava throws.
std::uint64_t approximate_element_count(const Filter& filter);
// BloomFilter.expectedFpp.
double expected_fpp(const Filter& filter);

// The key that a funnel makes of a value. byteArrayFunnel is the bytes themselves, and
// so is stringFunnel(UTF_8) of text in UTF-8; sequentialFunnel is the keys one after the other.
std::string integer_key(std::int32_t value);
std::string long_key(std::int64_t value);
std::string unencoded_chars_key(std::u16string_view text);
std::string string_key(std::u16string_view text);  // UTF-8; a surrogate that stands alone is '?'

extern const Format kFormat;

}  // namespace bloomery::guava
