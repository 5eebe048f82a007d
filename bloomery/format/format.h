// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/filter/any_filter.h"
#include "bloomery/filter/kind.h"
#include "bloomery/filter/options.h"
#include "bloomery/format/bit_order.h"
#include "bloomery/format/settings.h"

namespace bloomery {

// One of the formats of other systems, as those see it who open any of them. What each stores, to
// the bit, stands in its own header and in docs/formats.md.
//
// decode throws FormatError for bytes that are not the format, naming offset and field, and
// std::invalid_argument for settings. create throws std::invalid_argument for what the system
// refuses. encode takes contents of one of `kinds`, which one of the
// format's files defines, beside the scheme.
struct Format {
  std::string_view name;               // "guava", as in guava:users.bin
  std::string_view system;             // "Guava BloomFilter, Java"
  std::string_view hash;               // "murmur3 x64-128"
  std::string_view rule;               // how probes follow from the hash
  std::string_view limits;             // what the system allows
  std::string_view warning;            // what its users must know; mostly nothing
  std::string_view settings;           // names with blanks between
  std::string_view keys;               // how keys are read where nobody says: "text", "i32"
  std::span<const Kind* const> kinds;  // of the filters that it keeps

  // Reads a filter out of its bytes, as is said above.
  AnyFilter (*decode)(std::span<const std::byte> bytes, const FormatSettings& settings);
  // An empty filter; null where only the system itself makes them.
  AnyFilter (*create)(const FilterOptions& options, const FormatSettings& settings);
  void (*encode)(const FilterContents& contents, const ByteSink& sink);  // null: read only
  // The settings that encode's bytes do not hold; null if the bytes hold all.
  FormatSettings (*settings_of)(const FilterContents& contents);
  // Advice to users of this very filter, with its figures; null if `warning` is all there is.
  std::string (*advice)(const FilterContents& contents);
  // How well the system's hashes tell a sample of keys apart, where that is not well; else empty.
  std::string (*key_advice)(std::span<const Key> sample, std::uint64_t bit_count) = nullptr;
  // Warns of keys that the bytes carry along and that are not asked about; empty: there are none.
  std::string (*unasked)(const FilterContents& contents) = nullptr;
  // `derives_promise`: neither bytes nor settings say for how many keys and what rate the filter
  // was made.
  bool derives_promise = false;
  std::string_view create_settings{};  // those that create takes, which computes the others

  // Returns whether it keeps filters of the kind.
  bool holds(FilterKind kind) const noexcept;
};

std::span<const Format* const> formats() noexcept;

// Null where there is none.
const Format* find_format(std::string_view name) noexcept;

// Throws IncompatibleError, saying what would have to be done, where the format cannot hold it.
void require_holds(const Format& format, const FilterContents& contents);

// The settings of a filter that is to be made. Throws std::invalid_argument for one that create
// does not take, and says why where it computes it.
SettingsReader settings_of_new(const FormatSettings& settings, const Format& format);

// All that encode gives.
std::vector<std::byte> encode(const Format& format, const FilterContents& contents);

}  // namespace bloomery
