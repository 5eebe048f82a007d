#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <utility>

#include "bloomery/guard/presence_filter.h"

namespace bloomery {

// A filter in memory that may be asked while others insert.
template <class F>
concept ConcurrentFilter = requires(F& filter, const F& constant, Key key,
                                    std::span<const Key> keys, std::span<bool> found) {
  constant.may_contain_many(keys, found);
  filter.insert_concurrently(key);
};

// Lets a filter in memory answer the guard. It must hold every key that exists before the guard is
// asked: it never says `unknown`. The filter is borrowed and outlives this.
template <ConcurrentFilter F>
class FilterPresence final : public PresenceFilter {
 public:
  explicit FilterPresence(F& filter) noexcept : filter_(filter) {}

  // In pieces whose answers fit on the stack: no allocation.
  void presence_of_many(std::span<const Key> keys, std::span<Presence> answers) override {
    std::array<bool, kPiece> found;
    for (std::size_t start = 0; start < keys.size(); start += kPiece) {
      const std::size_t count = std::min(kPiece, keys.size() - start);
      ask(keys.subspan(start, count), std::span(found).first(count));
      std::transform(found.begin(), found.begin() + count, answers.begin() + start, presence);
    }
  }

  Presence presence_of(Key key) override {
    if constexpr (requires(const F& filter) { bool{filter.may_contain(key)}; }) {
      return presence(std::as_const(filter_).may_contain(key));
    } else {
      bool found = true;
      ask({&key, 1}, {&found, 1});
      return presence(found);
    }
  }

  void insert(Key key) override { filter_.insert_concurrently(key); }

 private:
  static constexpr std::size_t kPiece = 256;

  static Presence presence(bool found) noexcept {
    return found ? Presence::maybe : Presence::absent;
  }

  void ask(std::span<const Key> keys, std::span<bool> found) const {
    std::as_const(filter_).may_contain_many(keys, found);
  }

  F& filter_;
};

}  // namespace bloomery
