// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

#include "bloomery/bits/shared_words.h"
#include "bloomery/filter/filter_contents.h"
#include "bloomery/filter/options.h"

namespace bloomery {

class AnyFilter;

// All that the number of a kind means. Every kind has one entry, which flat_kind() or chain_kind()
// of make_kind.h write: our own stand in filter_kinds.cc, those of other systems beside their
// schemes. format/kinds.h finds any of them by its number.
struct Kind {
  FilterKind number{};
  std::string_view name;
  std::string_view hash_name;
  std::string_view what;  // for whom, in a few words; of our own only

  bool hashes_once = true;  // its filters have hash pairs; else only keys can be asked
  bool has_layers = false;  // a chain, that may grow
  bool counts = false;      // counters where others have bits: keys can be erased
  bool forgets = false;     // keys are forgotten after a while
  bool built_once = false;  // of all its keys; never made empty and then filled
  bool has_parts = false;   // a key's bits are in one line or two: lines can be shared out
  bool compares = false;    // fingerprints: "absent" rests on all places of a key, not on one bit
  std::uint32_t line_bits = Geometry{}.line_bits;
  // `even_bits`: in up to so many bits the kind's hashes leave no gaps of their own.
  std::uint64_t even_bits = std::numeric_limits<std::uint64_t>::max();

  // The geometry of a new filter, or of its first layer. Throws as BasicFilter's constructor does.
  Geometry (*geometry)(const FilterOptions& options) = nullptr;
  // The rate of such a one with so many keys. Null where filters are built once, and tell it.
  double (*rate)(const FilterParameters& parameters, double keys) = nullptr;
  // Throws FormatError for contents that no filter of the kind has, whatever its words.
  void (*check)(const FilterContents& contents) = nullptr;
  // How many words contents have that passed check().
  std::uint64_t (*word_count)(const FilterContents& contents) = nullptr;
  // An empty filter. Throws std::invalid_argument for one that is built once, and for bits that the
  // machine's memory cannot hold.
  AnyFilter (*make)(const FilterParameters& parameters) = nullptr;
  // A filter over words that are there already, as many as word_count() says.
  AnyFilter (*open)(const FilterContents& contents, SharedWords words) = nullptr;
};

// Checks contents as Kind::check does, and also the promised capacity and rate, which Kind::check
// leaves to this function. Throws FormatError.
void check_contents(const Kind& kind, const FilterContents& contents);

// Opens a filter as Kind::open does, after checking the contents and how many words there are.
// Throws FormatError.
AnyFilter open_filter(const Kind& kind, const FilterContents& contents, SharedWords words);

}  // namespace bloomery
