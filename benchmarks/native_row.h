// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "benchmarks/subject.h"
#include "bloomery/hash/native_hash.h"

namespace bloomery::bench {

// A BlockedFilter of 1 % as programs have it that are compiled for this machine: single calls
// inlined.
SubjectPointer make_native_blocked(std::uint64_t capacity, HashId hash, Loop loop);

}  // namespace bloomery::bench
