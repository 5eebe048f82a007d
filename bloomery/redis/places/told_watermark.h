// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <utility>

#include "bloomery/bits/fork_mutex.h"
#include "bloomery/format/native/file_notes.h"
#include "bloomery/place/filter_place.h"
#include "bloomery/place/watermark.h"

namespace bloomery::redis {

// The watermark that answers of a place in a server were judged by: the highest, as they may come
// in another order than they were given in, of the filter that was there last. Many threads may
// use it.
class ToldWatermark {
 public:
  // `filter` is the identity of whose it is.
  struct Mark {
    Identity filter{};
    std::optional<Watermark> reached{};

    static Mark of(const FileNotes& notes) noexcept { return {notes.identity, notes.reached()}; }
    friend bool operator==(const Mark&, const Mark&) = default;
  };

  Mark now() const {
    const std::lock_guard lock(mutex_);
    return mark_;
  }
  // FilterPlace::told: its number is how often a filter or a source came that was not the last one.
  Told told(Telling telling) const {
    if (telling == Telling::filters) return {.filters = changes_.load(std::memory_order_acquire)};
    const std::lock_guard lock(mutex_);
    return {.filters = changes_.load(std::memory_order_relaxed),
            .watermarks = one_or_none(mark_.reached)};
  }

  // An answer was judged by it.
  void note(const Mark& told) {
    const std::lock_guard lock(mutex_);
    const bool is_lower = told.filter == mark_.filter && mark_.reached &&
                          (!told.reached || (told.reached->source == mark_.reached->source &&
                                             told.reached->position < mark_.reached->position));
    if (!is_lower) ++notes_;
    set(is_lower ? mark_ : told);
  }
  // How many notes there were that were not lower: taken before a look, and given to replace().
  std::uint64_t notes() const {
    const std::lock_guard lock(mutex_);
    return notes_;
  }
  // It was looked at after so many notes: what they said is over, be it lower now.
  void replace(std::uint64_t notes, const Mark& told) {
    const std::lock_guard lock(mutex_);
    if (notes_ == notes) set(told);
  }
  // It did not answer when it was looked at: it may be another one by now.
  void miss() {
    const std::lock_guard lock(mutex_);
    was_missed_ = true;
  }

 private:
  void set(const Mark& told) {
    const bool is_same = mark_.filter == told.filter &&
                         mark_.reached.has_value() == told.reached.has_value() &&
                         (!told.reached || mark_.reached->source == told.reached->source);
    mark_ = told;
    if (!is_same || std::exchange(was_missed_, false))
      changes_.fetch_add(1, std::memory_order_release);
  }

  mutable ForkMutex mutex_;
  Mark mark_{};
  std::uint64_t notes_ = 0;
  bool was_missed_ = false;
  std::atomic<std::uint64_t> changes_{0};
};

}  // namespace bloomery::redis
