#pragma once

#include <string>
#include <vector>

#include "bloomery/filter/kernels/blocked_kernel.h"

namespace bloomery::testing {

// What `kernel` does otherwise than the scalar one, a line each: bits, answers and hashes, on
// random and on adversarial input. Needs no test framework, so that it also runs where there is
// none: under an emulator.
std::vector<std::string> differences_from_scalar(const BlockedKernel& kernel);

}  // namespace bloomery::testing
