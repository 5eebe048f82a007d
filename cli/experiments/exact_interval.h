// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "cli/binomial_interval.h"

namespace bloomery::cli {

// Returns an interval as binomial_interval does, but exact: its ends are the chances at which so
// many successes or more, and so many or fewer, happen with 2.5 % (Clopper and Pearson 1934). Sums
// a tail some sixty times.
Interval exact_binomial_interval(std::uint64_t successes, std::uint64_t trials);

}  // namespace bloomery::cli
