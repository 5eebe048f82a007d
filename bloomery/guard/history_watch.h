#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include "bloomery/filter/call_context.h"
#include "bloomery/filter/watermark.h"

namespace bloomery {

// Notices a database that lost rows which a filter has: one that was put back to an older state, or
// whose log began anew. How far it is lies then below a watermark that was read before it was
// asked, which cannot be otherwise, as no watermark is ever ahead of its database. Once its log is
// as long as it was, such a filter would seem up to date, and lack rows.
//
// The watermark need not be read before each question: at first, ten times a second, and whenever
// the database says less than it had said before, or speaks of another source than it did. Many
// threads may use it.
class HistoryWatch {
 public:
  // What is known before the database is asked.
  struct Before {
    std::optional<Watermark> highest{};  // that it said of the source that it named last
    std::vector<Watermark> read{};       // the filter's, of all its parts, where it was looked at
    bool has_looked = false;
  };
  enum class Verdict : std::uint8_t { one_history, look, lost };

  bool is_due() const;
  // Before the filter is looked at, or the database is asked.
  Before begin() const;
  // Look: read the filter's watermark, and ask again. Lost: the filter's "absent" says nothing, and
  // each question looks until it is not so.
  Verdict judge(const Before& before, const Watermark& said);

 private:
  using Clock = CallContext::Clock;

  mutable std::mutex mutex_;
  std::optional<Watermark> highest_;
  Clock::time_point look_at_{};
};

}  // namespace bloomery
