// SPDX-License-Identifier: Apache-2.0
#include "benchmarks/row_result.h"

#include <fmt/core.h>

#include <cmath>

namespace bloomery::bench {

void RowResult::leave_out(std::string reason) {
  verdict = Verdict::left_out;
  note = std::move(reason);
}

void RowResult::judge(std::uint64_t strangers, std::uint64_t positives, std::uint64_t lost) {
  const auto asked = static_cast<double>(strangers);
  const auto found = static_cast<double>(positives);
  trials = strangers;
  measured_rate = found / asked;
  verdict = Verdict::kept;
  if (lost > 0) {
    verdict = Verdict::loses_keys;
  } else if (exceeds_rate(found, asked, asked_rate)) {
    verdict = Verdict::exceeds_rate;
  }
}

std::string RowResult::fault() const {
  if (verdict == Verdict::loses_keys) return "loses keys";
  return "its rate is " + percent(measured_rate) + ", asked for " + percent(asked_rate);
}

bool exceeds_rate(double positives, double trials, double asked_rate) {
  const double allowed = 1.05 * trials * asked_rate;
  const bool is_enough = asked_rate == 0 || trials * asked_rate >= kEnoughPositives;
  return positives > (is_enough ? allowed : allowed + 4 * std::sqrt(allowed) + 1);
}

std::string percent(double share) {
  return fmt::format("{:.4g} %", 100 * share);
}

}  // namespace bloomery::bench
