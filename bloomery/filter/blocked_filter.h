// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bloomery/filter/basic_filter.h"
#include "bloomery/filter/blocked_layout.h"
#include "bloomery/filter/integer_view.h"

namespace bloomery {

// The fast one: a cache miss a key (two below about 0.05 %), for up to 13 % more bits than classic
// down to 10^-6.
using BlockedFilter = BasicFilter<BlockedLayout, HeapWords>;

}  // namespace bloomery
