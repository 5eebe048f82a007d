// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "benchmarks/report.h"

namespace bloomery::bench {

// Every figure, and what the script `draw` needs to make a chart and tables of them.
std::string to_json(const Report& report);

}  // namespace bloomery::bench
