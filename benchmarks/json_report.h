#pragma once

#include <string>

#include "benchmarks/report.h"

namespace bloomery::bench {

std::string to_json(const Report& report);

// What such a text says about the machine and the speeds: enough for a chart or a table. Throws
// std::runtime_error when it is no such text.
Report from_json(const std::string& text);

}  // namespace bloomery::bench
