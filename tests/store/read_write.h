// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bloomery/store/mapped_filter.h"

namespace bloomery::testing {

// Windows replaces no lost pages, and says so.
#if defined(_WIN32)
inline constexpr bool kSurvives = false;
#else
inline constexpr bool kSurvives = true;
#endif

inline constexpr MapOptions kReadOnly{.survive_truncation = kSurvives};
inline constexpr MapOptions kVerified{.verify = true, .survive_truncation = kSurvives};
inline constexpr MapOptions kReadWrite{.access = MapOptions::read_write,
                                       .survive_truncation = kSurvives};

}  // namespace bloomery::testing
