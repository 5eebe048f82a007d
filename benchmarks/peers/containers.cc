// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <unordered_set>
#include <vector>

#include "benchmarks/peers/peers.h"

// Exact answers from the standard library: what a filter replaces when memory is short.
namespace bloomery::bench {
namespace {

class UnorderedSet final : public Subject {
 public:
  explicit UnorderedSet(std::uint64_t capacity) { set_.reserve(capacity); }

  // A node of libstdc++: the next pointer and the key in an allocation of 32 bytes; and the
  // buckets.
  std::uint64_t byte_count() const override {
    return set_.size() * 32 + set_.bucket_count() * sizeof(void*);
  }
  void clear() override { set_.clear(); }
  void insert_each(const KeyChunk& chunk) override {
    for (const std::uint64_t key : chunk.integers) set_.insert(key);
  }
  std::uint64_t count_each(const KeyChunk& chunk) const override {
    std::uint64_t found = 0;
    for (const std::uint64_t key : chunk.integers) found += set_.count(key);
    return found;
  }

 private:
  std::unordered_set<std::uint64_t> set_;
};

class SortedVector final : public Subject {
 public:
  explicit SortedVector(std::uint64_t capacity) { keys_.reserve(capacity); }

  std::uint64_t byte_count() const override { return keys_.size() * sizeof keys_[0]; }
  void clear() override { keys_.clear(); }
  bool inserts_singly() const override { return false; }
  bool builds_at_once() const override { return true; }
  void insert_each(const KeyChunk& chunk) override {
    keys_.insert(keys_.end(), chunk.integers.begin(), chunk.integers.end());
  }
  void finish() override { std::ranges::sort(keys_); }
  std::uint64_t count_each(const KeyChunk& chunk) const override {
    std::uint64_t found = 0;
    for (const std::uint64_t key : chunk.integers) {
      found += std::ranges::binary_search(keys_, key) ? 1 : 0;
    }
    return found;
  }

 private:
  std::vector<std::uint64_t> keys_;
};

}  // namespace

SubjectPointer make_unordered_set(std::uint64_t capacity) {
  return std::make_unique<UnorderedSet>(capacity);
}

SubjectPointer make_sorted_vector(std::uint64_t capacity) {
  return std::make_unique<SortedVector>(capacity);
}

}  // namespace bloomery::bench
