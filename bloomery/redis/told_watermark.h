#pragma once

#include <mutex>
#include <optional>
#include <vector>

#include "bloomery/bits/fork_mutex.h"
#include "bloomery/filter/watermark.h"
#include "bloomery/format/native/file_notes.h"

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
  std::vector<Watermark> all() const { return one_or_none(now().reached); }

  // An answer was judged by it.
  void note(const Mark& told) {
    const std::lock_guard lock(mutex_);
    const bool is_lower = told.filter == mark_.filter && mark_.reached &&
                          (!told.reached || (told.reached->source == mark_.reached->source &&
                                             told.reached->position < mark_.reached->position));
    if (!is_lower) mark_ = told;
  }
  // It was looked at after it had been `before`: what it was then is over, be it lower now.
  void replace(const Mark& before, const Mark& told) {
    const std::lock_guard lock(mutex_);
    if (mark_ == before) mark_ = told;
  }

 private:
  mutable ForkMutex mutex_;
  Mark mark_{};
};

}  // namespace bloomery::redis
