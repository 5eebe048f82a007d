// SPDX-License-Identifier: Apache-2.0
#include "bloomery/os/lost_pages.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <system_error>

namespace bloomery {

// One entry of a list that the handler walks. Entries are never freed, only used again, and `end`
// is zero while nobody uses one.
struct LostPages::Watch {
  std::atomic<std::uintptr_t> begin{0};
  std::atomic<std::uintptr_t> end{0};
  std::atomic<int> descriptor{-1};
  std::atomic<std::uint64_t> file_offset{0};
  std::atomic<bool> lost{false};
  std::atomic<bool> in_use{true};
  Watch* next = nullptr;
};

static_assert(std::atomic<std::uintptr_t>::is_always_lock_free &&
              std::atomic<bool>::is_always_lock_free);

struct LostPages::Handler {
  static inline std::atomic<Watch*> first{nullptr};
  static inline std::uintptr_t page_bytes = 0;
  static inline struct sigaction previous {};

  // Filled elsewhere and moved there in one step: other threads never see a page of zeros. Calls
  // only what may be called in a signal handler; mmap, mremap and memset are, on Linux.
  static bool put_ones(std::uintptr_t page) noexcept {
    void* const ones =
        mmap(nullptr, page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (ones == MAP_FAILED) return false;
    std::memset(ones, 0xff, page_bytes);
    void* const at = mremap(ones, page_bytes, page_bytes, MREMAP_MAYMOVE | MREMAP_FIXED,
                            reinterpret_cast<void*>(page));
    if (at == MAP_FAILED) munmap(ones, page_bytes);
    return at != MAP_FAILED;
  }

  static bool replace(Watch& watch, std::uintptr_t begin, std::uintptr_t end,
                      std::uintptr_t address) noexcept {
    watch.lost.store(true, std::memory_order_release);
    if (!put_ones(address & ~(page_bytes - 1))) return false;
    // Behind a file's new end, its last page reads as zeros and raises nothing.
    struct stat about {};
    if (fstat(watch.descriptor.load(), &about) != 0) return true;
    const std::uint64_t offset = watch.file_offset.load();
    const auto file_bytes = static_cast<std::uint64_t>(about.st_size);
    const std::uint64_t size = file_bytes - std::min(file_bytes, offset);
    if (size >= end - begin || size % page_bytes == 0) return true;
    return put_ones(begin + size / page_bytes * page_bytes);
  }

  static bool survived(std::uintptr_t address) noexcept {
    for (Watch* watch = first.load(std::memory_order_acquire); watch != nullptr;
         watch = watch->next) {
      const std::uintptr_t end = watch->end.load(std::memory_order_acquire);
      const std::uintptr_t begin = watch->begin.load(std::memory_order_acquire);
      // An entry that changes hands under us shows two ends, and is not the one that faulted.
      if (watch->end.load(std::memory_order_acquire) != end) continue;
      if (address >= begin && address < end) return replace(*watch, begin, end, address);
    }
    return false;
  }

  static void handle(int signal_number, siginfo_t* info, void* context) {
    const int saved_errno = errno;
    const bool is_fault = info->si_code > 0;
    const bool done = is_fault && survived(reinterpret_cast<std::uintptr_t>(info->si_addr));
    errno = saved_errno;
    if (!done) pass_on(signal_number, info, context);
  }

  static void pass_on(int signal_number, siginfo_t* info, void* context) {
    if ((previous.sa_flags & SA_SIGINFO) != 0) {
      previous.sa_sigaction(signal_number, info, context);
    } else if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) {
      previous.sa_handler(signal_number);
    } else if (info->si_code > 0 || previous.sa_handler == SIG_DFL) {
      // Restores the default action: the fault comes again and ends the process.
      struct sigaction by_default {};
      by_default.sa_handler = SIG_DFL;
      sigaction(signal_number, &by_default, nullptr);
      if (info->si_code <= 0) raise(signal_number);
    }
  }

  static void install() {
    static const bool installed = [] {
      page_bytes = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
      struct sigaction ours {};
      ours.sa_sigaction = handle;
      ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
      sigemptyset(&ours.sa_mask);
      // Read first, so that the handler finds it whatever comes when.
      if (sigaction(SIGBUS, nullptr, &previous) != 0 || sigaction(SIGBUS, &ours, nullptr) != 0) {
        throw std::system_error(errno, std::generic_category(), "cannot handle SIGBUS");
      }
      return true;
    }();
    static_cast<void>(installed);
  }

  static Watch* free_watch() {
    static std::mutex mutex;
    const std::lock_guard lock(mutex);
    for (Watch* watch = first.load(); watch != nullptr; watch = watch->next) {
      if (!watch->in_use.exchange(true)) return watch;
    }
    auto* const watch = new Watch;
    watch->next = first.load();
    first.store(watch, std::memory_order_release);
    return watch;
  }
};

LostPages::LostPages(std::span<std::byte> mapping, int descriptor, std::uint64_t file_offset) {
  Handler::install();
  watch_ = Handler::free_watch();
  const auto begin = reinterpret_cast<std::uintptr_t>(mapping.data());
  watch_->lost.store(false);
  watch_->descriptor.store(descriptor);
  watch_->file_offset.store(file_offset);
  watch_->begin.store(begin);
  watch_->end.store(begin + mapping.size(), std::memory_order_release);
}

LostPages::~LostPages() {
  watch_->end.store(0);
  watch_->in_use.store(false);
}

bool LostPages::any() const noexcept {
  return watch_->lost.load(std::memory_order_acquire);
}

bool LostPages::is_handled() noexcept {
  struct sigaction now {};
  return sigaction(SIGBUS, nullptr, &now) == 0 && (now.sa_flags & SA_SIGINFO) != 0 &&
         now.sa_sigaction == Handler::handle;
}

}  // namespace bloomery
