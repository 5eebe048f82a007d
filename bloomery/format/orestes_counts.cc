// SPDX-License-Identifier: Apache-2.0
#include "bloomery/format/orestes_counts.h"

#include <algorithm>
#include <charconv>

#include "bloomery/bits/bit_ops.h"
#include "bloomery/errors.h"
#include "bloomery/format/kinds.h"
#include "bloomery/format/orestes.h"

namespace bloomery::orestes {
namespace {

std::string name_of(std::uint32_t position) {
  std::string name;
  for (const int shift : {24, 16, 8, 0}) name += static_cast<char>(position >> shift);
  return name;
}

std::uint64_t position_of(const std::string& name) {
  std::uint64_t position = 0;
  for (const char c : name) position = position << 8 | static_cast<unsigned char>(c);
  return position;
}

[[noreturn]] void refuse(const std::string& why) {
  throw FormatError("not the counts of an Orestes filter: " + why);
}

}  // namespace

Counts::Counts(const Geometry& geometry, std::uint64_t largest)
    : parameters_{.kind = FilterKind::orestes, .geometry = geometry}, largest_(largest) {
  derive_promise(parameters_);
  check_any_contents({.parameters = parameters_});
}

Counts Counts::decode(const Fields& fields, const Geometry& geometry, std::uint64_t largest) {
  Counts counts(geometry, largest);
  for (const auto& [name, value] : fields) {
    if (name.size() != 4) {
      refuse("a field of " + std::to_string(name.size()) + " bytes; a position has 4");
    }
    const std::uint64_t position = position_of(name);
    if (position >= geometry.bit_count) {
      refuse("position " + std::to_string(position) + " of " + std::to_string(geometry.bit_count) +
             " bits");
    }
    std::int64_t count = 0;
    const char* const end = value.data() + value.size();
    const auto [stop, error] = std::from_chars(value.data(), end, count);
    if (error != std::errc() || stop != end) {
      refuse("the count of position " + std::to_string(position) + " is no whole number");
    }
    if (count < 0) {
      refuse("the count of position " + std::to_string(position) + " is " + value +
             ": a key that was not in was removed, and others with it; rebuild it from the keys");
    }
    counts.counters_[static_cast<std::uint32_t>(position)] =
        std::min(static_cast<std::uint64_t>(count), largest);
  }
  return counts;
}

Counts::Fields Counts::encode() const {
  Fields fields;
  for (const auto& [position, count] : counters_) {
    fields[name_of(position)] = std::to_string(count);
  }
  return fields;
}

std::map<std::uint32_t, std::uint32_t> Counts::probes_of(Key key) const {
  const HashPair hash = OrestesProbes(parameters_).hash(key);
  std::map<std::uint32_t, std::uint32_t> probes;
  for (std::uint32_t i = 0; i < parameters_.geometry.probe_count; ++i) {
    const std::uint64_t position = OrestesProbes::position(hash, i, parameters_.geometry.bit_count);
    ++probes[static_cast<std::uint32_t>(position)];
  }
  return probes;
}

std::uint64_t Counts::count(Key key) const {
  std::uint64_t least = largest_;
  for (const auto& [position, times] : probes_of(key)) {
    const auto found = counters_.find(position);
    if (found == counters_.end()) return 0;
    if (found->second < largest_) least = std::min(least, found->second / times);
  }
  return least;
}

std::uint64_t Counts::add(Key key) {
  for (const auto& [position, times] : probes_of(key)) {
    std::uint64_t& counter = counters_[position];
    counter += std::min<std::uint64_t>(times, largest_ - counter);
  }
  return count(key);
}

bool Counts::remove(Key key) {
  if (count(key) == 0) return false;
  for (const auto& [position, times] : probes_of(key)) {
    std::uint64_t& counter = counters_[position];
    if (counter < largest_) counter -= times;
  }
  return true;
}

AnyFilter Counts::filter() const {
  HeapWords words(any_word_count({.parameters = parameters_}));
  for (const auto& [position, count] : counters_) {
    if (count != 0) set_bit(words.words(), position);
  }
  return open_foreign({.parameters = parameters_}, std::move(words));
}

}  // namespace bloomery::orestes
