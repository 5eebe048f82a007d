// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

// The instruction set that this file may use without asking the processor: what single calls of a
// blocked filter are compiled with, inlined into the caller. None of x86-64 without -march, where
// the kernel that is chosen at run time is faster than what every processor has; and none under the
// thread sanitizer, which cannot know that vector loads read each aligned lane whole.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define BLOOMERY_THREAD_SANITIZER
#endif
#elif defined(__SANITIZE_THREAD__)
#define BLOOMERY_THREAD_SANITIZER
#endif

#if defined(BLOOMERY_THREAD_SANITIZER)
#undef BLOOMERY_THREAD_SANITIZER
#elif defined(__AVX512F__) && defined(__AVX512DQ__)
#define BLOOMERY_COMPILED_LANES Avx512Lanes
#include "bloomery/filter/kernels/avx512_lanes.h"
#elif defined(__AVX2__)
#define BLOOMERY_COMPILED_LANES Avx2Lanes
#include "bloomery/filter/kernels/avx2_lanes.h"
#elif defined(__aarch64__)
#define BLOOMERY_COMPILED_LANES NeonLanes
#include "bloomery/filter/kernels/neon_lanes.h"
#elif !defined(__x86_64__)
#define BLOOMERY_COMPILED_LANES ScalarLanes
#include "bloomery/filter/kernels/scalar_lanes.h"
#endif

namespace bloomery {

#if defined(BLOOMERY_COMPILED_LANES)
using CompiledLanes = BLOOMERY_COMPILED_LANES<void>;
#undef BLOOMERY_COMPILED_LANES
#else
using CompiledLanes = void;
#endif

}  // namespace bloomery
