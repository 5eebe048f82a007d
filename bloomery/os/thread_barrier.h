// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace bloomery {

// A barrier for all threads of this process at once. What a thread stores and then loads is then
// in this order for the caller of thread_barrier(), with no more than a barrier of the compiler
// (std::atomic_signal_fence) between the store and the load: the price of many readers is paid by
// one writer.

// Returns whether there is such a barrier here; asked before the first use of one. False where the
// thread sanitizer would not understand it.
bool has_thread_barrier() noexcept;

// Every thread has passed a full barrier between the begin and the end of this call. Ends the
// process where the system does not do it any more: nothing else is sound then.
void thread_barrier() noexcept;

}  // namespace bloomery
