// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace bloomery {

// What a filter that may be elsewhere, or not there at all, can say about a key. Only `absent` may
// save a database query: a store that cannot know says `unknown`, never `absent`.
enum class Presence : std::uint8_t { absent, maybe, unknown };

}  // namespace bloomery
