// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "benchmarks/module/stalls.h"
#include "benchmarks/module/subject.h"

// Rows for people, printed as they are measured, and the same for programs.
namespace bloomery::module_bench {

// A row and what each module took for it; their GET beside.
struct Figure {
  std::string row;
  std::vector<Outcome> outcomes{};
  std::vector<double> get_ns{};  // 0: not known
};

void print_header(const std::vector<std::string>& modules);
void print_figure(const Figure& figure);
void print_stalls(const std::vector<std::string>& modules,
                  const std::vector<std::vector<Stall>>& stalls);
std::string to_json(const std::vector<std::string>& modules, const std::vector<Figure>& figures,
                    const std::vector<std::vector<Stall>>& stalls);

}  // namespace bloomery::module_bench
