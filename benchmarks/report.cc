// SPDX-License-Identifier: Apache-2.0
#include "benchmarks/report.h"

#include <algorithm>

namespace bloomery::bench {

bool Report::has_wrong_rows() const {
  return std::ranges::any_of(rates, &RateResult::is_wrong) ||
         std::ranges::any_of(sizes, [](const SizeReport& size) {
           return std::ranges::any_of(size.rows, &RowResult::is_wrong);
         });
}

}  // namespace bloomery::bench
