// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>

namespace bloomery {

// Pieces of work that begin and end in their order, on the caller's thread, with what may be done
// out of order between, on any thread:
//
//   begin   fills a slot: reads a block. False, once there is nothing more.
//   work    on the slot: cuts the block into keys and hashes them.
//   end     uses it: inserts, prints. False asks for no more.
//
// At most slot_count() slots are under way, which bounds the memory.
struct OrderedSteps {
  std::function<bool(std::size_t slot)> begin;
  std::function<void(std::size_t slot)> work;
  std::function<bool(std::size_t slot)> end;
  // `would_wait`: whether begin() would have to wait: what has begun is then ended first. None: it
  // never does.
  std::function<bool()> would_wait{};
};

// One thread needs one; with several each has one at hand and one ahead.
constexpr std::size_t slot_count(unsigned threads) noexcept {
  return threads <= 1 ? 1 : 2 * std::size_t{threads} + 1;
}

// `threads` is how many work together, the caller's among them, which works when it has nothing to
// begin or end. The others are made with the second piece, as many as the system gives. What a step
// throws comes out here, after all pieces before it have ended.
void run_in_order(unsigned threads, const OrderedSteps& steps);

}  // namespace bloomery
