// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

#include "bloomery/filter/kernels/compiled_lanes.h"
#include "bloomery/filter/kernels/one_integer.h"
#include "bloomery/filter/kernels/single_calls.h"
#include "bloomery/hash/key.h"

namespace bloomery {

// Calls on integers of FoldHash as SingleCalls has them, inlined: in programs that are compiled for
// their machine.
template <class Lanes>
struct InlinedCalls {
  using One = OneInteger<Lanes, OneStep::Hash::fold>;

  [[gnu::always_inline]] static bool may_contain_folded(const std::uint64_t* words,
                                                        std::uint64_t word_count,
                                                        std::uint64_t spread, std::uint64_t key) {
    return One::may_contain_alone(words, {.words = word_count, .seed = {spread, 0}}, key);
  }
  [[gnu::always_inline]] static bool insert_folded(std::uint64_t* words, std::uint64_t word_count,
                                                   std::uint64_t spread, std::uint64_t key) {
    return One::insert(words, {.words = word_count, .seed = {spread, 0}}, key);
  }
};

// Returns act(InlinedCalls, or the SingleCalls of a kernel).
template <class Act>
[[gnu::always_inline]] inline auto with_folded_calls(InstructionSet set, Act act) {
  if constexpr (std::is_void_v<CompiledLanes>) {
    return with_calls(set, act);
  } else {
    return act(InlinedCalls<CompiledLanes>{});
  }
}

// IntegerView of a filter that has HashId::fold and a bit in each lane, by one sort of calls: no
// call asks what the filter is.
template <class Filter, class Calls>
class FoldedView {
 public:
  explicit FoldedView(Filter& filter) noexcept
      : filter_(filter),
        words_(filter.view_words().data()),
        word_count_(filter.layout().one_step().words),
        spread_(filter.layout().one_step().seed.h1) {}
  FoldedView(const FoldedView&) = delete;
  FoldedView& operator=(const FoldedView&) = delete;
  ~FoldedView() {
    if constexpr (!std::is_const_v<Filter>) filter_.end_view(added_, has_set_);
  }

  [[gnu::always_inline]] bool may_contain(IntegerKey auto integer) const noexcept {
    return Calls::may_contain_folded(words_, word_count_, spread_, eight_bytes(integer));
  }
  [[gnu::always_inline]] bool insert(IntegerKey auto integer) noexcept
      requires(!std::is_const_v<Filter>) {
    const bool is_new = Calls::insert_folded(words_, word_count_, spread_, eight_bytes(integer));
    added_ += is_new ? 1 : 0;
    return is_new;
  }
  [[gnu::always_inline]] void set(IntegerKey auto integer) noexcept
      requires(!std::is_const_v<Filter>) {
    has_set_ = true;
    Calls::insert_folded(words_, word_count_, spread_, eight_bytes(integer));
  }

 private:
  using Word = std::conditional_t<std::is_const_v<Filter>, const std::uint64_t, std::uint64_t>;

  Filter& filter_;
  Word* const words_;
  const std::uint64_t word_count_;
  const std::uint64_t spread_;
  std::uint64_t added_ = 0;
  bool has_set_ = false;
};

}  // namespace bloomery
