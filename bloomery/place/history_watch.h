// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include "bloomery/place/watermark.h"

namespace bloomery {

// Notices a database that lost rows which a filter has: one that was put back to an older state, or
// whose log began anew. How far it is lies then below a watermark that was read before it was
// asked, which cannot be otherwise, as no watermark is ever ahead of its database. Once its log is
// as long as it was, such a filter would seem up to date, and lack rows.
//
// The watermarks that the place's answers were judged by so far are compared before each question
// to the database (FilterPlace::told). Where one is ahead, where the database says less
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
    // Told::filters of those that were read, if that is known.
    std::optional<std::uint64_t> filters{};
    bool is_barred =
        false;  // one of them was ahead once: none of them is believed behind this fence
  };
  enum class Verdict : std::uint8_t { one_history, look, lost };

  // Whether the filter is to be looked at in any case: when it was last, it was ahead.
  bool must_look() const;
  // Before the filter is looked at, or the database is asked.
  Before begin() const;
  // Look: read the filter's watermark, and ask again. Lost: the filter's "absent" says nothing, and
  // each question looks until another filter is there, however far the database comes meanwhile.
  // Adds to what is proven, and says what is barred.
  Verdict judge(Before& before, const Watermark& said);

 private:
  void forget_others(const Before& before);

  mutable std::mutex mutex_;
  std::optional<Watermark> highest_;
  std::vector<Watermark> lost_;                // where a filter stood that was ahead, and
  std::optional<std::uint64_t> lost_filters_;  // which it was
};

}  // namespace bloomery
