// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cli/report.h"

namespace bloomery::cli {

// What becomes of a figure that a post prints.
enum class Verdict {
  right,      // the same, now as then
  plausible,  // a matter of luck, and within what luck allows
  dated,      // right for the software of its time
  wrong,      // and corrected
  not_run,    // something that it needs is not here
};

// The name of what stands in several posts.
inline constexpr const char* kRepeatedClaims = "claims";

std::string_view verdict_name(Verdict verdict) noexcept;

// One figure of a post and ours beside it.
struct Figure {
  std::string_view post;    // "000"
  std::string_view what;    // what it is of
  std::string_view theirs;  // as it is printed
  std::string ours;
  Verdict verdict{};
  std::string remark;       // the verdict as a sentence
  Report::Value numbers{};  // for programs
};

// The same keys and seeds at every call, so the same figures. Each takes up to a few seconds, those
// of many filters the less the fewer they are.
std::vector<Figure> figures_of_post_000();
std::vector<Figure> figures_of_post_001(std::uint64_t filter_count = 30);
std::vector<Figure> figures_of_post_002();
std::vector<Figure> figures_of_post_003(std::uint64_t filter_count = 4);
std::vector<Figure> figures_of_post_004();
// Two of them are times of this machine; and figures_with_redis() are among them.
std::vector<Figure> figures_of_repeated_claims(std::uint64_t key_count = 100'000);
// Where no Redis can be started, one figure that says why.
std::vector<Figure> figures_with_redis(std::uint64_t key_count);

}  // namespace bloomery::cli
