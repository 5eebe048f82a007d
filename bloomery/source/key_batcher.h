#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "bloomery/source/key_source.h"

namespace bloomery {

// Collects keys that come one at a time, and whose bytes do not stay, into batches. The caller asks
// for room, writes a key there and keeps it; keys lie end to end in one arena that never moves
// while it holds any.
class KeyBatcher {
 public:
  explicit KeyBatcher(const BatchConsumer& consumer)
      : consumer_(consumer),
        arena_(std::make_unique_for_overwrite<char[]>(kArenaBytes)),
        capacity_(kArenaBytes) {}

  // Where the next key may be written, up to byte_limit bytes. Hands over the batch first where it
  // is full; nullptr once the consumer wants no more. Throws what the consumer throws.
  [[gnu::always_inline]] char* room(std::size_t byte_limit) {
    if (count_ < kBatchKeys && byte_limit <= capacity_ - used_) return arena_.get() + used_;
    return empty_room(byte_limit);
  }

  // Takes what was written to room().
  void keep(std::size_t byte_count) noexcept {
    keys_[count_++] = {arena_.get() + used_, byte_count};
    used_ += byte_count;
  }

  void skip_null() noexcept { ++totals_.null_count; }

  // Hands over what is left.
  void flush() {
    if (count_ == 0 || !wants_more_) return;
    totals_.byte_count += used_;
    const std::uint64_t first_record = totals_.key_count + 1;
    totals_.key_count += count_;
    const auto keys = std::span<const Key>(keys_).first(count_);
    wants_more_ = consumer_({.keys = keys,
                             .lines = keys,
                             .first_record = first_record,
                             .byte_count = totals_.byte_count});
    count_ = 0;
    used_ = 0;
  }

  bool wants_more() const noexcept { return wants_more_; }
  const SourceTotals& totals() const noexcept { return totals_; }

  // Keys and NULLs up to now: the number of the row at hand, from 0.
  std::uint64_t row_count() const noexcept {
    return totals_.key_count + count_ + totals_.null_count;
  }

 private:
  static constexpr std::size_t kBatchKeys = 1024;
  static constexpr std::size_t kArenaBytes = 64 * 1024;

  [[gnu::noinline]] char* empty_room(std::size_t byte_limit) {
    flush();
    if (!wants_more_) return nullptr;
    if (byte_limit > capacity_) {
      capacity_ = std::max(byte_limit, 2 * capacity_);
      arena_ = std::make_unique_for_overwrite<char[]>(capacity_);
    }
    return arena_.get();
  }

  const BatchConsumer& consumer_;
  std::array<Key, kBatchKeys> keys_;
  std::size_t count_ = 0;  // of keys_
  std::unique_ptr<char[]> arena_;
  std::size_t capacity_;
  std::size_t used_ = 0;
  bool wants_more_ = true;
  SourceTotals totals_;
};

}  // namespace bloomery
