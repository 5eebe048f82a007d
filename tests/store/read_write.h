// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bloomery/store/mapped_filter.h"

namespace bloomery::testing {

inline constexpr MapOptions kReadWrite{.access = MapOptions::read_write};

}  // namespace bloomery::testing
