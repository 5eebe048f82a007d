// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bloomery/filter/kernels/blocked_kernel.h"

namespace bloomery {

extern const BlockedKernel kBlockedScalar;
#if defined(__x86_64__)
extern const BlockedKernel kBlockedAvx2;
extern const BlockedKernel kBlockedAvx512;
BlockedKernel blocked_icelake() noexcept;  // kBlockedAvx512 but for some loops
#elif defined(__aarch64__)
extern const BlockedKernel kBlockedNeon;
#endif

}  // namespace bloomery
