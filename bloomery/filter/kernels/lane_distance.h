// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace bloomery {

// Row r of this table, eight lanes from entry 8 - r on, has ones in the lanes at cyclic distance
// below `probes` from lane r.
alignas(64) inline constexpr std::uint64_t kLaneDistance[16] = {0, 1, 2, 3, 4, 5, 6, 7,
                                                                0, 1, 2, 3, 4, 5, 6, 7};

}  // namespace bloomery
