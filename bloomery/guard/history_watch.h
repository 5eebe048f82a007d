#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include "bloomery/filter/watermark.h"

namespace bloomery {

// Notices a database that lost rows which a filter has: one that was put back to an older state, or
// whose log began anew. How far it is lies then below a watermark that was read before it was
// asked, which cannot be otherwise, as no watermark is ever ahead of its database. Once its log is
// as long as it was, such a filter would seem up to date, and lack rows.
//
// The watermarks that the place's answers were judged by so far are compared before each question
// to the database (FilterPlace::watermarks_told). Where one is ahead, where the database says less
// than it had said before, or speaks of another source than it did, the filter is looked at as it
// is now: it may be another one, or other parts of it may be ahead. Many threads may use it.
class HistoryWatch {
 public:
  // What is known before the database is asked.
  struct Before {
    std::vector<Watermark> read{};    // the filter's, of all its parts
    bool has_looked = false;          // just now, rather than by answers before
    bool has_failed = false;          // the place could not say all; what is read is what it told
    std::vector<Watermark> proven{};  // of a history that was lost: who stands there stood there
    std::optional<Watermark> highest{};  // that it said of the source that it named last
  };
  enum class Verdict : std::uint8_t { one_history, look, lost };

  // Whether the filter is to be looked at in any case: when it was last, it was ahead.
  bool must_look() const;
  // Before the filter is looked at, or the database is asked.
  Before begin() const;
  // Look: read the filter's watermark, and ask again. Lost: the filter's "absent" says nothing, and
  // each question looks until it is not so. Adds to what is proven.
  Verdict judge(Before& before, const Watermark& said);

 private:
  mutable std::mutex mutex_;
  std::optional<Watermark> highest_;
  bool is_lost_ = false;
};

}  // namespace bloomery
