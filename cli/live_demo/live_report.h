// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/live_demo/live_traffic.h"
#include "cli/report.h"
#include "cli/terminal.h"

namespace bloomery::cli {

// Tallies of one traffic, with a fence and without.
struct LiveResult {
  LiveTally fenced{};
  LiveTally trusting{};  // without a fence
};

// "  6.0 s  DEL users: the filter is gone"
std::string event_text(double second, const std::string& what);

std::string live_result_text(const LiveResult& result, const Terminal& terminal);
Report::Value live_result_json(const LiveResult& result);

}  // namespace bloomery::cli
