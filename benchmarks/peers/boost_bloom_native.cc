// SPDX-License-Identifier: Apache-2.0
// Compiled with -march=native, in a unit of its own.
#include "benchmarks/peers/boost_bloom.h"

#include "benchmarks/peers/boost_bloom_subject.h"

namespace bloomery::bench {

SubjectPointer make_native_boost_bloom(std::uint64_t capacity, double bits_per_key, Loop loop) {
  return boost_subject(capacity, bits_per_key, loop);
}

}  // namespace bloomery::bench
