// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cli/report.h"

namespace bloomery::cli {

// The verdict on a figure that an article prints.
enum class Verdict {
  right,      // the same, now as then
  plausible,  // a matter of luck, and within what luck allows
  dated,      // right for the software of its time
  wrong,      // and corrected
  not_run,    // something that it needs is not here
};

std::string_view verdict_name(Verdict verdict) noexcept;

// One figure of an article and ours beside it.
struct Figure {
  std::string_view post;    // the article's word
  std::string_view what;    // what the figure is of
  std::string_view theirs;  // as it is printed
  std::string ours{};
  Verdict verdict{};
  std::string remark{};     // the verdict as a sentence
  Report::Value numbers{};  // for programs
};

// How much is done for figures that take more than a second; tests do less.
struct FigureSizes {
  std::uint64_t filters = 30;      // for a rate that is a matter of chance
  std::uint64_t keys = 100'000;    // put into a set of Redis
  std::uint64_t records = 20'000;  // put into a bitmap of Redis, a trip a bit
};

// The keys and seeds are the same at every call, so the figures are; but times are of this machine.
std::vector<Figure> figures_of_guava();
std::vector<Figure> figures_of_redis(const FigureSizes& sizes = {});
std::vector<Figure> figures_of_javascript();
std::vector<Figure> figures_of_penetration(std::uint64_t filter_count = 4);
std::vector<Figure> figures_of_php(const FigureSizes& sizes = {});

// Figures of a Redis that this starts. Where it cannot start one, the figure says why.
Figure memory_of_a_set(std::uint64_t key_count);
Figure setbit_times(std::uint64_t record_count);

}  // namespace bloomery::cli
