// SPDX-License-Identifier: Apache-2.0
#include <leveldb/filter_policy.h>
#include <leveldb/slice.h>

#include <string>
#include <vector>

#include "benchmarks/peers/peers.h"

namespace bloomery::bench {
namespace {

class LevelDb final : public Subject {
 public:
  LevelDb(std::uint64_t capacity, int bits_per_key)
      : policy_(leveldb::NewBloomFilterPolicy(bits_per_key)) {
    keys_.reserve(capacity);
  }

  std::uint64_t byte_count() const override { return filter_.size(); }
  void clear() override {
    keys_.clear();
    filter_.clear();
  }
  bool inserts_singly() const override { return false; }
  bool builds_at_once() const override { return true; }
  void insert_each(const KeyChunk& chunk) override {
    keys_.insert(keys_.end(), chunk.integers.begin(), chunk.integers.end());
  }
  void finish() override {
    std::vector<leveldb::Slice> slices;
    slices.reserve(keys_.size());
    for (const std::uint64_t& key : keys_) slices.push_back(slice_of(key));
    policy_->CreateFilter(slices.data(), static_cast<int>(slices.size()), &filter_);
  }
  std::uint64_t count_each(const KeyChunk& chunk) const override {
    std::uint64_t found = 0;
    for (const std::uint64_t& key : chunk.integers) {
      found += policy_->KeyMayMatch(slice_of(key), filter_) ? 1 : 0;
    }
    return found;
  }

 private:
  static leveldb::Slice slice_of(const std::uint64_t& key) noexcept {
    return {reinterpret_cast<const char*>(&key), sizeof key};
  }

  std::unique_ptr<const leveldb::FilterPolicy> policy_;
  std::vector<std::uint64_t> keys_;
  std::string filter_;
};

}  // namespace

SubjectPointer make_leveldb(std::uint64_t capacity, int bits_per_key) {
  return std::make_unique<LevelDb>(capacity, bits_per_key);
}

}  // namespace bloomery::bench
