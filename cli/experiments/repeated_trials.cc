// SPDX-License-Identifier: Apache-2.0
#include "cli/experiments/repeated_trials.h"

#include <fmt/format.h>

#include "cli/split_mix.h"

namespace bloomery::cli {

std::string RepeatedTrials::text() const {
  const Interval of = interval();
  return fmt::format(
      "{} to {} of {} in {} trials; rate {:.3g}, with 95 % confidence {:.3g} to {:.3g}", least(),
      most(), asked, positives.size(), rate(), of.low, of.high);
}

Report::Value RepeatedTrials::numbers() const {
  const Interval of = interval();
  return {{"asked", asked},
          {"false_positives", positives},
          {"rate", rate()},
          {"rate_low", of.low},
          {"rate_high", of.high}};
}

std::string random_hex(std::uint64_t seed, std::uint64_t i) {
  const std::uint64_t first = scramble((seed << 40) + i);
  return fmt::format("{:016x}{:016x}", first, scramble(~first));
}

std::string random_uuid(std::uint64_t seed, std::uint64_t i) {
  std::string text = random_hex(seed, i);
  for (const std::size_t at : {20, 16, 12, 8}) text.insert(at, 1, '-');
  return text;
}

}  // namespace bloomery::cli
