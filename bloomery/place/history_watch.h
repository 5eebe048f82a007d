// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include "bloomery/place/proof.h"
#include "bloomery/place/watermark.h"

namespace bloomery {

// Notices a database that lost rows which a filter has: one that was put back to an older state, or
// whose log began anew. How far it is lies then below a watermark that was read before it was
// asked, which cannot be otherwise, as no watermark is ever ahead of its database. Once its log is
// as long as it was, such a filter would seem up to date, and lack rows.
//
// Each reply of the database is compared with what was known of the filters before the question.
// The filter is looked at as it is now where a watermark is ahead of the reply, and where the
// database says less than before or names another source than before: the place may have another
// filter by now, or other parts of it may be ahead. Many threads may use it.
class HistoryWatch {
 public:
  // The state of the filter and of the database's earlier replies, from before the next question.
  struct Before {
    Proofs known{};           // of the filter's parts
    bool has_looked = false;  // just now, rather than by answers before
    bool has_failed = false;  // the look left out a part of it, or all: answers' proofs count on
    bool must_look = false;   // in any case: when it was last looked at, it was ahead
    std::vector<Watermark> proven{};     // of a history that was lost: who stands there stood there
    std::optional<Watermark> highest{};  // that the database said of the source it named last
    bool is_barred = false;  // one was ahead once: none of them is believed behind this fence
  };
  enum class Verdict : std::uint8_t { one_history, look, lost };

  Before begin(Proofs known) const;
  // Look: look at the filter, and ask again. Lost: the filter's "absent" says nothing, and each
  // question looks until another filter is there, however far the database comes meanwhile. Adds to
  // what is proven, and says what is barred.
  Verdict judge(Before& before, const Watermark& said);
  // Records the reply of the database to a question that needed no verdict.
  void note(const Watermark& said);

 private:
  void forget_others(const Before& before);

  mutable std::mutex mutex_;
  std::optional<Watermark> highest_;
  std::vector<Watermark> lost_;  // where a filter stood that was ahead, and
  Proofs lost_known_;            // which it was
};

}  // namespace bloomery
