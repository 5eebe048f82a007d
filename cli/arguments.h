// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bloomery/filter/options.h"
#include "bloomery/filter/parameters.h"
#include "bloomery/open/place_location.h"
#include "bloomery/source/source_options.h"
#include "cli/options.h"

// The options that are about filters and keys, and what they say. options.h has the plainer ones.
namespace bloomery::cli {

Option add_kind(Command command, std::optional<FilterKind>& kind);

// The false positive rate of a new filter for which none was given.
inline constexpr double kDefaultRate = 0.01;

// The options with which a command makes a new filter.
struct NewFilter {
  std::optional<std::uint64_t> capacity;
  std::optional<double> growth;  // in place of a capacity: that of what is counted, times this
  std::optional<double> rate;
  std::optional<FilterKind> kind;
  std::uint64_t seed = 0;
  std::optional<HashId> hash;
  bool secret = false;
  std::optional<double> expansion;
  std::optional<double> tightening;
  std::optional<std::uint64_t> window_ms;
  std::optional<std::uint64_t> generations;
  KeyForm keys{};  // as the filter's file will say

  // Returns whether the arguments say anything that only kinds of our own have.
  bool is_of_own_kind() const;
  FilterKind kind_or_default() const { return kind.value_or(FilterKind::blocked); }
  // `capacity` and `rate` are there. Throws std::invalid_argument for an option that the kind does
  // not have.
  FilterOptions options() const;
};

// The empty filter that `wanted` and a location ask for: of one of our kinds, or as the location's
// format makes them. Throws std::invalid_argument for an option that these do not have.
AnyFilter empty_filter(const NewFilter& wanted, const PlaceLocation& location);

// Throws std::invalid_argument where `wanted` asks for one of our kinds at a place of one kind.
void require_no_kind(const NewFilter& wanted, const PlaceLocation& location);

// Checks that each setting of `to` is the filter's own, as the filter is put there as it is;
// settings of bitmap: are not checked. Throws std::invalid_argument.
void require_own_settings(const PlaceLocation& to, const FilterContents& contents);

// The options of a new filter of our own besides capacity and rate.
inline constexpr std::array kNewFilterOptions{"--kind",   "--seed",       "--hash",
                                              "--secret", "--expansion",  "--tightening",
                                              "--window", "--generations"};
void add_new_filter_options(Command command, NewFilter& filter);

inline constexpr const char* kWhereAFilterIs =
    "a filter: a file of ours, FORMAT:FILE of another system, or FORMAT:redis://SERVER#KEY in a "
    "server (bitmap: is ours)";

inline constexpr const char* kWhereANewFilterIs =
    "the filter to make: a file of ours, FORMAT:FILE of another system, or "
    "FORMAT:redis://SERVER#KEY in a server (bitmap: is ours); what exists is refused";

// FILE: where a filter is.
Option add_filter(Command command, const std::string& name, const std::string& description,
                  PlaceLocation& location);
Option add_filters(Command command, const std::string& name, const std::string& description,
                   std::vector<PlaceLocation>& locations);

// -0, -F/--field, -d/--delimiter, --csv, --skip-header: which part of the input is the key.
// key_choice.h has how it is written.
void add_record_options(Command command, SourceOptions& options);

// --as of a single key on the command line.
Option add_encoding(Command command, KeyEncoding& encoding);

}  // namespace bloomery::cli
