// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "bloomery/filter/any_filter.h"
#include "bloomery/format/bit_order.h"
#include "bloomery/format/settings.h"

// What the formats that are a bare bitmap share: only the service that uses it knows its size.
namespace bloomery {

// The filter of `parameters`, whose bits are `bytes` and may end early.
AnyFilter open_bitmap(const FilterParameters& parameters, std::span<const std::byte> bytes,
                      std::string_view format, BitOrder order = BitOrder::msb_first);

// An empty one. Throws std::invalid_argument where that geometry, which the format or its settings
// fixed, does not keep the rate.
AnyFilter create_bitmap(const FilterParameters& parameters, std::string_view format);

// Bytes up to the last bit that is set, as SETBIT leaves the string.
void write_bitmap(const FilterContents& contents, const ByteSink& sink);
// The same as BitSet.toByteArray() of Java gives them.
void write_bit_set(const FilterContents& contents, const ByteSink& sink);

// Parameters of such a filter: "bits" and "probes", or "capacity" and "rate" by the format's own
// `sizing`, or all four.
FilterParameters bitmap_parameters(FilterKind kind, const SettingsReader& read,
                                   Geometry (*sizing)(std::uint64_t capacity, double rate));

// Those of a filter whose geometry is known: "capacity" and "rate" are its promise, or else what
// its size fits best.
FilterParameters promised_parameters(FilterKind kind, const Geometry& geometry,
                                     const SettingsReader& read);
// Of one that is to be made. Throws as validate() does.
FilterParameters promised_parameters(FilterKind kind, const Geometry& geometry,
                                     const FilterOptions& options);

// bits, probes, capacity and rate.
FormatSettings bitmap_settings(const FilterContents& contents);
// The same where the number of probes is fixed.
FormatSettings sized_bitmap_settings(const FilterContents& contents);

}  // namespace bloomery
