// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>

#include "bloomery/open/place_location.h"

namespace bloomery {

// How long a filter in a server lives if nobody changes that; then it is lost. Nothing for one that
// lives for ever, for files, and where the server does not say it
// (+pttl). Of a filter in partitions that of its index.
std::optional<std::chrono::milliseconds> time_to_live(const PlaceLocation& location);

}  // namespace bloomery
