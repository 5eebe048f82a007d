// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

#include "bloomery/filter/blocked_layout.h"
#include "bloomery/filter/folded_view.h"
#include "bloomery/hash/key.h"

namespace bloomery {

// Integers in a blocked filter, one a call, by a copy of what a call reads of it: in a loop of
// calls on the filter itself the compiler must read that anew after each store, and add to its
// counter in memory.
//
//   auto seen = filter.integers();
//   for (const std::uint64_t id : ids) fresh += seen.insert(id);
//
// Given the loop, integers() chooses the calls before it, not in each of them: look-ups in a cache
// then take 0.8 times as long. The view has the same members.
//
//   filter.integers([&](auto& seen) {
//     for (const std::uint64_t id : ids) fresh += seen.insert(id);
//   });
//
// Bits and answers are those of the filter's own calls. Filters of other hashes or shapes than
// HashId::fold with a bit in each lane take those calls themselves. For one thread; what it inserts
// is in the filter at once and is counted there when the view ends. The filter must outlive it, and
// is not moved, cleared, merged or loaded meanwhile. Nothing throws but the loop.
template <class Filter>
class IntegerView {
 public:
  explicit IntegerView(Filter& filter) noexcept
      : filter_(filter),
        set_(filter.layout().instruction_set()),
        step_(filter.layout().one_step()) {
    words_ = filter.view_words().data();
  }
  IntegerView(const IntegerView&) = delete;
  IntegerView& operator=(const IntegerView&) = delete;
  ~IntegerView() {
    if constexpr (!std::is_const_v<Filter>) filter_.end_view(added_, has_set_);
  }

  // Returns loop(view) with a view of the filter, or with a FoldedView that has its calls.
  template <class Loop>
  static auto run(Filter& filter, Loop& loop) {
    if (filter.layout().one_step().hash != OneStep::Hash::fold) {
      IntegerView view(filter);
      return loop(view);
    }
    return with_folded_calls(filter.layout().instruction_set(), [&](auto calls) {
      FoldedView<Filter, decltype(calls)> view(filter);
      return loop(view);
    });
  }

  [[gnu::always_inline]] bool may_contain(IntegerKey auto integer) const noexcept {
    const std::uint64_t key = eight_bytes(integer);
    if (step_.hash != OneStep::Hash::fold) [[unlikely]]
      return filter_.may_contain(key);
    return with_folded_calls(
        set_, [&](auto calls) __attribute__((always_inline)) {
          return calls.may_contain_folded(words_, step_.words, step_.seed.h1, key);
        });
  }

  // True when the key is new.
  [[gnu::always_inline]] bool insert(IntegerKey auto integer) noexcept
      requires(!std::is_const_v<Filter>) {
    const std::uint64_t key = eight_bytes(integer);
    if (step_.hash != OneStep::Hash::fold) [[unlikely]]
      return filter_.insert(key);
    const bool is_new = put(key);
    added_ += is_new ? 1 : 0;
    return is_new;
  }

  // Inserts without an answer. Once this was called, the filter's inserted() is what its bits say
  // when the view ends, which reads them all.
  [[gnu::always_inline]] void set(IntegerKey auto integer) noexcept
      requires(!std::is_const_v<Filter>) {
    const std::uint64_t key = eight_bytes(integer);
    if (step_.hash != OneStep::Hash::fold) [[unlikely]] {
      filter_.insert(key);
      return;
    }
    has_set_ = true;
    put(key);
  }

 private:
  using Word = std::conditional_t<std::is_const_v<Filter>, const std::uint64_t, std::uint64_t>;

  [[gnu::always_inline]] bool put(std::uint64_t key) noexcept {
    return with_folded_calls(
        set_, [&](auto calls) __attribute__((always_inline)) {
          return calls.insert_folded(words_, step_.words, step_.seed.h1, key);
        });
  }

  Filter& filter_;
  const InstructionSet set_;
  const OneStep step_;
  Word* words_;
  std::uint64_t added_ = 0;
  bool has_set_ = false;
};

}  // namespace bloomery
