// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace bloomery {

struct BulkOptions {
  unsigned threads = 0;  // 0: as many as the processor runs at once
  // Memory beside the filter, at most; 0: half of what the filter has itself, or of what it leaves
  // of the machine's memory where that is less. Only what the keys need is taken of it.
  std::uint64_t scratch_byte_count = 0;
};

}  // namespace bloomery
