// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace bloomery::bench {

// SpaceResult says what the speed of a blocked filter costs in bits, beside a classic one of the
// same promise.
struct SpaceResult {
  double rate = 0;
  std::uint64_t keys = 0;
  double classic_bits_per_key = 0;
  double blocked_bits_per_key = 0;
  int lines_per_key = 0;
  double target = 0;  // most that blocked may take beyond classic, as a share

  double overhead() const { return blocked_bits_per_key / classic_bits_per_key - 1; }
};

std::vector<SpaceResult> measure_space();

}  // namespace bloomery::bench
