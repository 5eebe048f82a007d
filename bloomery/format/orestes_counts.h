// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <string>

#include "bloomery/filter/any_filter.h"
#include "bloomery/hash/key.h"

namespace bloomery::orestes {

// The counters of a counting Orestes filter: how many keys, each as often as it was added, mean
// each bit. Redis has them as the hash NAME:counts, whose fields are positions as four bytes, the
// most significant first, and whose values are decimal; in memory they have 8 or more bits.
//
// Orestes takes away what was never added, which makes other keys vanish, and counts down from
// counters that had no room to count up. This does neither: removing what is not there changes
// nothing, and a counter that reached `largest` stays there.
//
// Takes some 50 bytes a counter that is not zero. Const calls may run together.
class Counts {
 public:
  using Fields = std::map<std::string, std::string>;

  static constexpr std::uint64_t kLargestOf8Bits = 255;
  static constexpr std::uint64_t kLargestInRedis = std::numeric_limits<std::int64_t>::max();

  // Throws FormatError for a geometry that an Orestes filter never has.
  explicit Counts(const Geometry& geometry, std::uint64_t largest = kLargestInRedis);

  // Throws FormatError, naming the field, for one that is no position of this geometry or no count:
  // also for a count below zero, after which answers would be wrong.
  static Counts decode(const Fields& fields, const Geometry& geometry,
                       std::uint64_t largest = kLargestInRedis);
  // Gives also the counters that went back to zero, as Redis keeps them.
  Fields encode() const;

  // How often the key is in, as far as its counters know: never less than it is.
  std::uint64_t count(Key key) const;
  // Adds the key once more, and returns its count then.
  std::uint64_t add(Key key);
  // False, changing nothing, where the key was not in.
  bool remove(Key key);

  // A filter of the counters that are not zero. To be asked and stored: it knows nothing of counts.
  AnyFilter filter() const;

 private:
  // How often each of a key's positions is one of its probes.
  std::map<std::uint32_t, std::uint32_t> probes_of(Key key) const;

  FilterParameters parameters_;
  std::uint64_t largest_;
  std::map<std::uint32_t, std::uint64_t> counters_;
};

}  // namespace bloomery::orestes
