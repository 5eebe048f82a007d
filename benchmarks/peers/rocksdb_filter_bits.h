// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rocksdb/slice.h>
#include <rocksdb/status.h>

#include <cstddef>
#include <memory>

// RocksDB's public headers name these two classes, and functions that make them, but since 7.0 do
// not declare them. The order of the virtual functions is that of 7.8; rocksdb.cc uses this with
// that version only, compiled and loaded, and proves it by keys that must be found.
namespace ROCKSDB_NAMESPACE {

class FilterBitsBuilder {
 public:
  virtual ~FilterBitsBuilder() = default;
  virtual void AddKey(const Slice& key) = 0;
  virtual std::size_t EstimateEntriesAdded() = 0;
  virtual Slice Finish(std::unique_ptr<const char[]>* owner) = 0;
  virtual Slice Finish(std::unique_ptr<const char[]>* owner, Status* status) = 0;
  virtual Status MaybePostVerify(const Slice& filter) = 0;
  virtual std::size_t ApproximateNumEntries(std::size_t byte_count) = 0;
};

class FilterBitsReader {
 public:
  virtual ~FilterBitsReader() = default;
  virtual bool MayMatch(const Slice& key) = 0;
  virtual void MayMatch(int key_count, Slice** keys, bool* may_match) = 0;
};

}  // namespace ROCKSDB_NAMESPACE
