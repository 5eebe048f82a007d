// SPDX-License-Identifier: Apache-2.0
#include "benchmarks/short_count.h"

#include <array>
#include <utility>

namespace bloomery::bench {

std::string short_count(std::uint64_t count) {
  constexpr std::array<std::pair<std::uint64_t, const char*>, 3> kUnits{
      {{1'000'000'000, " billion"}, {1'000'000, " million"}, {1'000, " thousand"}}};
  for (const auto& [unit, name] : kUnits) {
    if (count >= unit && count % unit == 0) return std::to_string(count / unit) + name;
  }
  return std::to_string(count);
}

}  // namespace bloomery::bench
