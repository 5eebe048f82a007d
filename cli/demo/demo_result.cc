// SPDX-License-Identifier: Apache-2.0
#include "cli/demo/demo_result.h"

namespace bloomery::cli {

double DemoResult::measured_rate() const {
  return static_cast<double>(with.absent_queries) / static_cast<double>(absent_count);
}

Interval DemoResult::measured_interval() const {
  return binomial_interval(with.absent_queries, absent_count);
}

}  // namespace bloomery::cli
