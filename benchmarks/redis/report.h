// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "benchmarks/redis/measure.h"
#include "benchmarks/redis/settings.h"

// Figures for people, printed as they are measured, and the same for programs.
namespace bloomery::redis_bench {

void print_header(const Settings& settings);
// All of one way.
void print_way(const std::vector<Figure>& figures);
std::string to_json(const std::vector<Figure>& figures);

}  // namespace bloomery::redis_bench
