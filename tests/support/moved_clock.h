// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <new>
#include <stdexcept>
#include <string>

#include "tests/source/temporary_folder.h"

extern "C" void go_by_moved_clock(const std::atomic<std::int64_t>* seconds);

namespace bloomery::testing {

// Shift of the wall clock for all processes that go by it (moved_clock.cc).
class MovedClock {
 public:
  MovedClock() {
    std::filesystem::permissions(folder_.path(""), std::filesystem::perms{0711});
    const int file = open(path().c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    const bool is_long = file >= 0 && ftruncate(file, sizeof *seconds_) == 0;
    void* const both = mmap(nullptr, sizeof *seconds_, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (file >= 0) close(file);
    if (!is_long || both == MAP_FAILED) throw std::runtime_error("no memory to share");
    seconds_ = new (both) std::atomic<std::int64_t>(0);
  }
  MovedClock(const MovedClock&) = delete;
  MovedClock& operator=(const MovedClock&) = delete;
  ~MovedClock() { munmap(seconds_, sizeof *seconds_); }

  void move(std::chrono::seconds by) { *seconds_ = by.count(); }
  // Moves this process to the shifted clock, from now on.
  void go_by_it() const { go_by_moved_clock(seconds_); }
  // Returns the path, for the servers that this process starts.
  std::string path() const { return folder_.path("clock"); }

 private:
  TemporaryFolder folder_{};
  std::atomic<std::int64_t>* seconds_ = nullptr;
};

}  // namespace bloomery::testing
