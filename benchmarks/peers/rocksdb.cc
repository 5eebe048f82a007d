// SPDX-License-Identifier: Apache-2.0
#include <rocksdb/filter_policy.h>
#include <rocksdb/table.h>
#include <rocksdb/version.h>

#include <array>
#include <string>

#include "benchmarks/peers/peers.h"

#if ROCKSDB_MAJOR == 7 && ROCKSDB_MINOR == 8
#include "benchmarks/peers/rocksdb_filter_bits.h"
#endif

namespace bloomery::bench {

#if ROCKSDB_MAJOR == 7 && ROCKSDB_MINOR == 8

namespace {

rocksdb::Slice slice_of(const std::uint64_t& key) noexcept {
  return {reinterpret_cast<const char*>(&key), sizeof key};
}

class RocksDb final : public Subject {
 public:
  explicit RocksDb(double bits_per_key) : policy_(rocksdb::NewBloomFilterPolicy(bits_per_key)) {
    clear();
  }

  std::uint64_t byte_count() const override { return filter_.size(); }
  void clear() override {
    reader_.reset();
    filter_.clear();
    bits_.reset();
    rocksdb::BlockBasedTableOptions options;
    options.format_version = 5;
    builder_.reset(policy_->GetBuilderWithContext(rocksdb::FilterBuildingContext(options)));
  }
  bool inserts_singly() const override { return false; }
  bool builds_at_once() const override { return true; }
  void insert_each(const KeyChunk& chunk) override {
    for (const std::uint64_t& key : chunk.integers) builder_->AddKey(slice_of(key));
  }
  void finish() override {
    filter_ = builder_->Finish(&bits_);
    reader_.reset(policy_->GetFilterBitsReader(filter_));
  }
  std::uint64_t count_each(const KeyChunk& chunk) const override {
    std::uint64_t found = 0;
    for (const std::uint64_t& key : chunk.integers) {
      found += reader_->MayMatch(slice_of(key)) ? 1 : 0;
    }
    return found;
  }
  bool answers_batches() const override { return true; }
  void answer_batches(const KeyChunk& chunk, std::size_t /*batch*/,
                      std::span<bool> found) const override {
    std::array<rocksdb::Slice, kMaxBatch> slices;
    std::array<rocksdb::Slice*, kMaxBatch> pointers;
    for (std::size_t i = 0; i < kMaxBatch; ++i) pointers[i] = &slices[i];
    const auto visit = [&](std::size_t first, std::size_t count) {
      for (std::size_t i = 0; i < count; ++i) slices[i] = slice_of(chunk.integers[first + i]);
      reader_->MayMatch(static_cast<int>(count), pointers.data(), &found[first]);
    };
    for_each_batch(chunk.size(), kMaxBatch, visit);
  }

 private:
  static constexpr std::size_t kMaxBatch = 32;  // MultiGetContext's, and so the readers'

  std::unique_ptr<const rocksdb::FilterPolicy> policy_;
  std::unique_ptr<rocksdb::FilterBitsBuilder> builder_;
  std::unique_ptr<const char[]> bits_;
  rocksdb::Slice filter_;
  std::unique_ptr<rocksdb::FilterBitsReader> reader_;
};

}  // namespace

std::string rocksdb_missing_reason() {
  const std::string loaded = rocksdb::GetRocksVersionAsString(false);
  return loaded == "7.8" ? "" : "RocksDB " + loaded + " was loaded, not 7.8";
}

SubjectPointer make_rocksdb(std::uint64_t /*capacity*/, double bits_per_key) {
  return std::make_unique<RocksDb>(bits_per_key);
}

#else

std::string rocksdb_missing_reason() {
  return "the filters of RocksDB " + rocksdb::GetRocksVersionAsString(false) +
         " have no public interface, and only that of 7.8 is known here";
}

SubjectPointer make_rocksdb(std::uint64_t /*capacity*/, double /*bits_per_key*/) {
  return nullptr;
}

#endif

}  // namespace bloomery::bench
