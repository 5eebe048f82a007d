// SPDX-License-Identifier: Apache-2.0
#include "benchmarks/peers/boost_bloom.h"

#include "benchmarks/peers/boost_bloom_subject.h"

namespace bloomery::bench {

bool has_boost_bloom() {
#if defined(BLOOMERY_HAS_BOOST_BLOOM)
  return true;
#else
  return false;
#endif
}

SubjectPointer make_boost_bloom(std::uint64_t capacity, double bits_per_key, Loop loop) {
  return boost_subject(capacity, bits_per_key, loop);
}

SubjectPointer make_boost_bloom_of_texts(std::uint64_t capacity, double bits_per_key) {
  return boost_text_subject(capacity, bits_per_key);
}

}  // namespace bloomery::bench
