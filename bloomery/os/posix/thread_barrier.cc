// SPDX-License-Identifier: Apache-2.0
#include "bloomery/os/thread_barrier.h"

#include <cstdlib>

#if defined(__SANITIZE_THREAD__)
#define BLOOMERY_WATCHES_THREADS 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define BLOOMERY_WATCHES_THREADS 1
#endif
#endif

#if defined(__linux__) && !defined(BLOOMERY_WATCHES_THREADS)
#include <linux/membarrier.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <mutex>
#include <thread>
#endif

namespace bloomery {

#if defined(__linux__) && !defined(BLOOMERY_WATCHES_THREADS)
namespace {

bool ask_kernel(int command) noexcept {
  return syscall(SYS_membarrier, command, 0, 0) == 0;
}

// Takes away a right to a page that was written: every processor that runs a thread of this process
// is interrupted to forget it. Only x86 does it so, and newer processors of AMD may be told without
// an interrupt: then what they have written is out of their buffers long before the pause ends.
bool interrupt_all() noexcept {
#if defined(__x86_64__)
  static std::mutex mutex;
  constexpr std::size_t kBytes = 4096;
  const std::lock_guard lock(mutex);
  static void* const page =
      mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED || mprotect(page, kBytes, PROT_READ | PROT_WRITE) != 0) return false;
  *static_cast<volatile char*>(page) = 1;
  if (mprotect(page, kBytes, PROT_READ) != 0) return false;
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  return true;
#else
  return false;
#endif
}

}  // namespace

bool has_thread_barrier() noexcept {
  static const bool is_registered = ask_kernel(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED);
  return is_registered;
}

void thread_barrier() noexcept {
  if (ask_kernel(MEMBARRIER_CMD_PRIVATE_EXPEDITED)) return;
  // A child of fork() may have to register anew; a sandbox may forbid all of it.
  if (ask_kernel(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) &&
      ask_kernel(MEMBARRIER_CMD_PRIVATE_EXPEDITED)) {
    return;
  }
  if (!interrupt_all()) std::abort();
}
#else
bool has_thread_barrier() noexcept {
  return false;
}

void thread_barrier() noexcept {
  std::abort();
}
#endif

}  // namespace bloomery
