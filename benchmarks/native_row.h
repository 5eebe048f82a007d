// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "benchmarks/subject.h"

namespace bloomery::bench {

// A BlockedFilter as programs have it that are compiled for this machine: single calls inlined.
SubjectPointer make_native_blocked(std::uint64_t capacity, double rate);

}  // namespace bloomery::bench
