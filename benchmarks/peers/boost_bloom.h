// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "benchmarks/subject.h"

// Boost.Bloom, whose headers Debian 12 has not: only with ./run bench --peer-include DIR. Its
// fastest filter, fast_multiblock32, of so many bits a key, in huge pages as ours. Null without the
// headers.
namespace bloomery::bench {

// Makes a filter of integers, in loops that are range_for or by_index.
SubjectPointer make_boost_bloom(std::uint64_t capacity, double bits_per_key, Loop loop);
// Makes a filter of texts, hashed by XXH3-64.
SubjectPointer make_boost_bloom_of_texts(std::uint64_t capacity, double bits_per_key);
// Makes a filter of integers, compiled for this machine.
SubjectPointer make_native_boost_bloom(std::uint64_t capacity, double bits_per_key, Loop loop);

bool has_boost_bloom();

}  // namespace bloomery::bench
