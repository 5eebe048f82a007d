#pragma once

#include <string>
#include <string_view>

#include "benchmarks/report.h"

namespace bloomery::bench {

// The speeds of a report as one SVG picture that needs nothing else: a column a size, a pair of
// bars a row, look-up of absent keys above insert, and the memory limit across them. Its colours
// follow a light or a dark page. Throws std::invalid_argument for a report without speeds.
std::string draw_chart(const Report& report);

// `text` as it may stand between tags and in quotes; what XML cannot say becomes a space.
std::string xml_text(std::string_view text);

// The first round number (1, 2 or 5 times a power of ten) that is at least `value`. Throws
// std::invalid_argument unless that is above zero.
double round_up(double value);

}  // namespace bloomery::bench
