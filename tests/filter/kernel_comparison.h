// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "bloomery/filter/kernels/blocked_kernel.h"

namespace bloomery::testing {

// Returns where `kernel` differs from the scalar one, a line each: bits, answers and hashes, on
// random and on adversarial input.
std::vector<std::string> differences_from_scalar(const BlockedKernel& kernel);

}  // namespace bloomery::testing
