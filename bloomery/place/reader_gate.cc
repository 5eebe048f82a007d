// SPDX-License-Identifier: Apache-2.0
#include "bloomery/place/reader_gate.h"

#include <thread>

#include "bloomery/os/thread_barrier.h"

namespace bloomery {

ReaderGate::ReaderGate(Waits waits) noexcept
    : readers_order_(waits == Waits::often || !has_thread_barrier()) {}

void ReaderGate::wait_for_readers() noexcept {
  const std::lock_guard lock(waiting_);
  // A reader without an order of its own has passed a full barrier during this call: it had entered
  // by then, and is counted, or it loads the new pointer.
  if (!readers_order_) thread_barrier();
  // A reader that holds the old pointer loaded it before it was replaced, and so had entered by
  // then, by either door: from here on, the reader's counter is zero at some moment only when the
  // reader has left. (Entering, loading the pointer, replacing it and loading the counters are all
  // seq_cst. Either a reader's entering comes before our load of his counter, which then counts him
  // until he leaves; or after it, and so after the replacing: then he loads the new pointer. That
  // holds for a plain store as it does for an addition, as only he changes the counter of a lane of
  // his own; and the next thread with his lane goes on from the count that he left.)
  const std::size_t used = turn_.load(std::memory_order_relaxed);
  wait_until_empty(1 - used);
  turn_.store(1 - used, std::memory_order_relaxed);
  wait_until_empty(used);
}

void ReaderGate::wait_until_empty(std::size_t door) const noexcept {
  for (const Stripe& stripe : stripes_) {
    while (stripe.inside[door].load(std::memory_order_seq_cst) != 0) std::this_thread::yield();
  }
}

}  // namespace bloomery
