// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "benchmarks/subject.h"

// Peers that Debian packages, and what people write themselves.
namespace bloomery::bench {

// A Bloom filter of the textbook in ten lines, over the standard library's hash of integers mixed
// twice: what a careful programmer writes in an afternoon.
SubjectPointer make_plain_loop(std::uint64_t capacity, double rate);

SubjectPointer make_libbloom(std::uint64_t capacity, double rate);

// LevelDB's public filter policy, whole bits a key.
SubjectPointer make_leveldb(std::uint64_t capacity, int bits_per_key);

// RocksDB's filter of format version 5, or null with a reason when this version of the library
// hides it.
SubjectPointer make_rocksdb(std::uint64_t capacity, double bits_per_key);
std::string rocksdb_missing_reason();

SubjectPointer make_unordered_set(std::uint64_t capacity);
SubjectPointer make_sorted_vector(std::uint64_t capacity);

}  // namespace bloomery::bench
