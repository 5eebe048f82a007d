// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "bloomery/filter/any_filter.h"
#include "bloomery/format/bit_order.h"
#include "bloomery/format/settings.h"

// Functions for formats that are a bare bitmap, whose size only the service that uses it knows.
namespace bloomery {

// The filter of `parameters`, whose bits are `bytes` and may end early.
AnyFilter open_bitmap(const FilterParameters& parameters, std::span<const std::byte> bytes,
                      std::string_view format, BitOrder order = BitOrder::msb_first);

// An empty one. Throws std::invalid_argument where that geometry, which the format or its settings
// fixed, does not keep the rate.
AnyFilter create_bitmap(const FilterParameters& parameters, std::string_view format);

// Bytes up to the last bit that is set, as SETBIT leaves the string.
void write_bitmap(const FilterContents& contents, const ByteSink& sink);
// Writes the bits as Java's BitSet.toByteArray() gives them.
void write_bit_set(const FilterContents& contents, const ByteSink& sink);

// Parameters of such a filter: "bits" and "probes", or "capacity" and "rate" by the format's own
// `sizing`, or all four.
FilterParameters bitmap_parameters(FilterKind kind, const SettingsReader& read,
                                   Geometry (*sizing)(std::uint64_t capacity, double rate));

// The parameters of a filter of a known geometry. "capacity" and "rate" are its promise; without
// them it is the promise that its size fits best.
FilterParameters promised_parameters(FilterKind kind, const Geometry& geometry,
                                     const SettingsReader& read);
// The parameters of a filter that is to be made. Throws as validate() does.
FilterParameters promised_parameters(FilterKind kind, const Geometry& geometry,
                                     const FilterOptions& options);

// bits, probes, capacity and rate.
FormatSettings bitmap_settings(const FilterContents& contents);
// Settings of a bitmap whose number of probes is fixed.
FormatSettings sized_bitmap_settings(const FilterContents& contents);

}  // namespace bloomery
