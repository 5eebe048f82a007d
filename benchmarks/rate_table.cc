// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "benchmarks/table.h"
#include "bloomery/filter/filter_kinds.h"

namespace bloomery::bench {
namespace {

void print_full(const std::vector<RateResult>& results) {
  fmt::print("{:8}{:>10}{:>12}  {:12}{:>12}{:>9}{:>8}\n", "kind", "rate", "keys", "pattern",
             "trials", "ratio", "+-");
  for (const RateResult& result : results) {
    fmt::print("{:8}{:>10g}{:>12}  {:12}{:>12}{:>9.3f}{:>8.3f}{}\n", kind_name(result.kind),
               result.asked_rate, result.keys, pattern_name(result.pattern), result.trials,
               result.ratio(), result.luck(), result.is_wrong() ? "  WRONG" : "");
  }
}

void print_matrix(FilterKind kind, const std::vector<RateResult>& results) {
  using Cell = std::pair<double, std::uint64_t>;
  std::map<Cell, const RateResult*> worst;
  std::map<double, double, std::greater<>> luck;  // the largest rate first
  std::set<std::uint64_t> sizes;
  for (const RateResult& result : results) {
    if (result.kind != kind) continue;
    const RateResult*& cell = worst[{result.asked_rate, result.keys}];
    if (cell == nullptr || cell->ratio() < result.ratio()) cell = &result;
    luck[result.asked_rate] = std::max(luck[result.asked_rate], result.luck());
    sizes.insert(result.keys);
  }
  if (worst.empty()) return;  // counting filters have the rates of the plain ones
  fmt::print("{:8}", kind_name(kind));
  for (const std::uint64_t size : sizes) fmt::print("{:>13} keys   ", size);
  fmt::print("     luck\n");
  for (const auto& [rate, deviation] : luck) {
    fmt::print("{:>8g}", rate);
    for (const std::uint64_t size : sizes) {
      const auto found = worst.find({rate, size});
      if (found == worst.end()) {
        fmt::print("{:>21}", "");
      } else {
        fmt::print("{:>8.3f}{} {:11}", found->second->ratio(),
                   found->second->is_wrong() ? '!' : ' ', pattern_name(found->second->pattern));
      }
    }
    fmt::print("  +-{:.3f}\n", deviation);
  }
}

}  // namespace

void print_rates(const std::vector<RateResult>& results, bool full) {
  fmt::print("\n== rates: measured / asked at capacity ==\n");
  if (full) print_full(results);
  fmt::print("the worst of {} key patterns; ! is above 1.05 by more than luck\n",
             all_patterns().size());
  for (const Kind& kind : filter_kinds()) print_matrix(kind.number, results);
}

}  // namespace bloomery::bench
