#pragma once

#include <span>
#include <string_view>

#include "bloomery/filter/any_filter.h"
#include "bloomery/format/bit_order.h"
#include "bloomery/format/settings.h"

// What the formats that are a bare bitmap share: only the service that uses it knows its size.
namespace bloomery {

// The filter of `parameters`, whose bits are `bytes` in SETBIT's order and may end early.
AnyFilter open_bitmap(const FilterParameters& parameters, std::span<const std::byte> bytes,
                      std::string_view format);

// Bytes up to the last bit that is set, as SETBIT leaves the string.
void write_bitmap(const FilterContents& contents, const ByteSink& sink);

// Parameters of such a filter: "bits" and "probes", or "capacity" and "rate" by the format's own
// `sizing`, or all four.
FilterParameters bitmap_parameters(FilterKind kind, const SettingsReader& read,
                                   Geometry (*sizing)(std::uint64_t capacity, double rate));

// bits, probes, capacity and rate.
FormatSettings bitmap_settings(const FilterContents& contents);

}  // namespace bloomery
