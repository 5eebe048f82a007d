// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace bloomery {

// The answer about a key of a filter that may be elsewhere, or not there at all. Only `absent` may
// save a database query: a place that cannot know says `unknown`, never `absent`.
enum class Presence : std::uint8_t { absent, maybe, unknown };

}  // namespace bloomery
