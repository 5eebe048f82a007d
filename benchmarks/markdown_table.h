#pragma once

#include <string>

#include "benchmarks/report.h"

namespace bloomery::bench {

// The figures of a report as Markdown: where and when, and a table a size.
std::string markdown_tables(const Report& report);

// `document` with `figures` between its lines kFiguresBegin and kFiguresEnd in place of what was
// there. Throws std::runtime_error for a document without those lines in that order.
std::string with_figures(const std::string& document, const std::string& figures);

inline constexpr const char* kFiguresBegin = "<!-- figures: begin -->\n";
inline constexpr const char* kFiguresEnd = "<!-- figures: end -->\n";

}  // namespace bloomery::bench
