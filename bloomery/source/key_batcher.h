// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "bloomery/source/batch_worker.h"
#include "bloomery/source/key_source.h"

namespace bloomery {

// Collects keys that come one at a time, and whose bytes do not stay, into batches. The caller asks
// for room, writes a key there and keeps it; keys lie end to end in an arena that never moves while
// it holds any. There are two: one fills while the consumer, on another thread, has the other.
class KeyBatcher {
 public:
  explicit KeyBatcher(const BatchConsumer& consumer) : worker_(consumer) {}

  // Returns where the next key may be written, up to byte_limit bytes. Hands over the batch first
  // where it is full; nullptr once the consumer wants no more. Throws what the consumer throws.
  [[gnu::always_inline]] char* room(std::size_t byte_limit) {
    if (count_ < kBatchKeys && byte_limit <= filling_->byte_count - used_) {
      return filling_->bytes.get() + used_;
    }
    return empty_room(byte_limit);
  }

  // Takes what was written to room().
  void keep(std::size_t byte_count) noexcept {
    filling_->keys[count_++] = {filling_->bytes.get() + used_, byte_count};
    used_ += byte_count;
  }

  void skip_null() noexcept { ++totals_.null_count; }

  // Hands over what is left, and returns when all of it is consumed.
  void finish() {
    flush();
    wants_more_ = worker_.finish() && wants_more_;
  }

  bool wants_more() const noexcept { return wants_more_; }
  const SourceTotals& totals() const noexcept { return totals_; }

  // Keys and NULLs up to now: the number of the row at hand, from 0.
  std::uint64_t row_count() const noexcept {
    return totals_.key_count + count_ + totals_.null_count;
  }

 private:
  static constexpr std::size_t kBatchKeys = 8192;
  static constexpr std::size_t kArenaBytes = 256 * 1024;

  struct Arena {
    std::array<Key, kBatchKeys> keys;
    std::unique_ptr<char[]> bytes = std::make_unique_for_overwrite<char[]>(kArenaBytes);
    std::size_t byte_count = kArenaBytes;
  };

  void flush() {
    if (count_ == 0 || !wants_more_) return;
    const auto keys = std::span<const Key>(filling_->keys).first(count_);
    wants_more_ = worker_.start({.keys = keys,
                                 .lines = keys,
                                 .first_record = totals_.key_count + 1,
                                 .byte_count = totals_.byte_count + used_});
    if (!wants_more_) return;
    totals_.key_count += count_;
    totals_.byte_count += used_;
    std::swap(filling_, consumed_);
    count_ = 0;
    used_ = 0;
  }

  [[gnu::noinline]] char* empty_room(std::size_t byte_limit) {
    flush();
    if (!wants_more_) return nullptr;
    if (byte_limit > filling_->byte_count) {
      // Enlarges the arena that fills next; the consumer may still have the other.
      filling_->byte_count = std::max(byte_limit, 2 * filling_->byte_count);
      filling_->bytes = std::make_unique_for_overwrite<char[]>(filling_->byte_count);
    }
    return filling_->bytes.get();
  }

  std::unique_ptr<Arena> filling_ = std::make_unique<Arena>();
  std::unique_ptr<Arena> consumed_ = std::make_unique<Arena>();
  std::size_t count_ = 0;  // of filling_->keys
  std::size_t used_ = 0;   // of filling_->bytes
  bool wants_more_ = true;
  SourceTotals totals_;
  BatchWorker worker_;  // the last: its end waits for the consumer to leave the arenas
};

}  // namespace bloomery
