// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "cli/demo/demo_result.h"
#include "cli/report.h"
#include "cli/terminal.h"

namespace bloomery::cli {

// The lines of one step each, for people.
std::string database_text(const DemoResult& demo, const Terminal& terminal);
std::string filter_text(const DemoResult& demo, const Terminal& terminal);
std::string traffic_text(const DemoResult& demo, std::uint64_t request_count,
                         const Terminal& terminal);
std::string result_text(const DemoResult& demo, const Terminal& terminal);
std::string live_text(const LiveScene& live, const Terminal& terminal);
std::string stampede_text(const Stampede& stampede, const Terminal& terminal);
std::string last_text(const DemoResult& demo, const Terminal& terminal);

// The whole for programs.
Report::Value demo_json(const DemoResult& demo);

}  // namespace bloomery::cli
