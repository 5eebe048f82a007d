// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "benchmarks/follow/scene.h"
#include "benchmarks/follow/settings.h"

// Rows for people, printed as they are measured, and the same for programs.
namespace bloomery::follow_bench {

std::string name_of(Database database, Load load, Filter filter);

struct Row {
  std::string name;
  Figure middle{};  // of each column
};
Row middle_of(const std::string& name, const std::vector<Figure>& runs);

void print_header(const Settings& settings);
void print_row(const Row& row);
std::string to_json(const std::vector<Row>& rows);

}  // namespace bloomery::follow_bench
