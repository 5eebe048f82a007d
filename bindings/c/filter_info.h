// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "bloomery/filter/any_filter.h"
#include "bloomery/place/filter_place.h"

namespace bloomery::c {

// Describes a filter as a JSON object, by the names that the command's info has. Reads every bit.
// `keys`: how they are written, which the filter itself need not know.
std::string filter_info(const AnyFilter& filter, const KeyForm& keys);
// Describes a filter elsewhere as a JSON object, by what its place says of it.
std::string place_info(const std::string& location, const PlaceHead& head);

}  // namespace bloomery::c
