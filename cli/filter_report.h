// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "bloomery/filter/any_filter.h"
#include "bloomery/filter/parameters.h"
#include "bloomery/open/place_location.h"
#include "cli/report.h"

namespace bloomery::cli {

// Adds the location that finds another system's filter in a server again, if that location must say
// more than the one that the filter was made with.
void add_live_settings(Report& report, const PlaceLocation& location,
                       const FilterContents& contents);

// Adds what a filter is: kind, promise, geometry, size, hash, never its secret key. `is_derived`:
// nobody said for how many keys and what rate it was made, and people read "about".
void add_parameters(Report& report, const FilterContents& contents, bool is_derived = false);

// Returns whether so many keys are found by mistake that a count of new ones is the least there
// are.
bool is_too_full_to_count(double rate_now) noexcept;

// The layers of a filter that grows: a list for programs, a table for people; nothing for others.
void add_layers(Report& report, const FilterContents& contents);
std::string layers_text(const FilterContents& contents);

// How full it is: inserted, and the rate of its bits as they are now, which is returned. Beyond a
// rate of one half, fewer than half of new keys are still counted, and inserted is called what it
// is: the least.
double add_state(Report& report, const AnyFilter& filter);

// How many different keys the bits tell of; null, and no figure, where hardly a bit is clear.
void add_cardinality(Report& report, const AnyFilter& filter);

// The generations of a windowed filter; nothing of others.
void add_generations(Report& report, const AnyFilter& filter);

// A filter that is there already, whole; says on standard error where one of another system
// seems to have lost bits.
AnyFilter load_for_use(const PlaceLocation& location);
// Why a filter in a server never says "absent"; empty where it does, as files do.
std::string no_absent(const PlaceLocation& location);
// Throws std::invalid_argument with that reason: what is made of such a filter would say it.
void require_absent(const PlaceLocation& location);
void warn_of_gaps(const PlaceLocation& location, const AnyFilter& filter);

// Says on standard error what users of a filter of the location's format must know.
void advise(const PlaceLocation& location, const AnyFilter& filter);

// Says on standard error what users of the location's format must know of `keys`, which go into the
// filter or are asked. Looks at a sample of them.
void advise_of_keys(const PlaceLocation& location, std::uint64_t bit_count,
                    std::span<const Key> keys);

// Says on standard error where a filter holds more keys than it was made for.
void warn_if_overfull(const std::string& file, const AnyFilter& filter, double rate_now);

}  // namespace bloomery::cli
