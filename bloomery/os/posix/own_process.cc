// SPDX-License-Identifier: Apache-2.0
#include "bloomery/os/own_process.h"

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

namespace bloomery {
namespace {

// Never freed: fork may come while the process ends.
struct Unshared {
  std::mutex mutex;
  std::vector<int> descriptors;
  std::atomic<std::uint64_t> forks{0};
};

Unshared& unshared() noexcept {
  alignas(Unshared) static std::byte room[sizeof(Unshared)];
  static Unshared& all = *new (room) Unshared;
  return all;
}

// Only calls that may be made between fork and exec.
void in_child() {
  Unshared& all = unshared();
  all.forks.fetch_add(1);
  for (const int descriptor : all.descriptors) {
    const int nothing = ::open("/", O_PATH | O_CLOEXEC);
    if (nothing < 0 || dup3(nothing, descriptor, O_CLOEXEC) < 0) ::close(descriptor);
    if (nothing >= 0) ::close(nothing);
  }
  all.mutex.unlock();
}

void watch_forks() {
  static const int once = [] {
    unshared();
    return pthread_atfork([] { unshared().mutex.lock(); }, [] { unshared().mutex.unlock(); },
                          in_child);
  }();
  static_cast<void>(once);
}

}  // namespace

std::uint64_t process_number() noexcept {
  watch_forks();
  return unshared().forks.load(std::memory_order_relaxed);
}

UnsharedDescriptor::UnsharedDescriptor(int descriptor) : descriptor_(descriptor) {
  watch_forks();
  const std::lock_guard lock(unshared().mutex);
  unshared().descriptors.push_back(descriptor);
}

UnsharedDescriptor::UnsharedDescriptor(UnsharedDescriptor&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)) {}

UnsharedDescriptor& UnsharedDescriptor::operator=(UnsharedDescriptor&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

UnsharedDescriptor::~UnsharedDescriptor() {
  if (descriptor_ < 0) return;
  const std::lock_guard lock(unshared().mutex);
  const auto at = std::ranges::find(unshared().descriptors, descriptor_);
  if (at != unshared().descriptors.end()) unshared().descriptors.erase(at);
}

}  // namespace bloomery
