#pragma once

#include "bloomery/filter/kernels/blocked_kernel.h"

namespace bloomery {

extern const BlockedKernel kBlockedScalar;
#if defined(__x86_64__)
extern const BlockedKernel kBlockedAvx2;
extern const BlockedKernel kBlockedAvx512;
#elif defined(__aarch64__)
extern const BlockedKernel kBlockedNeon;
#endif

}  // namespace bloomery
