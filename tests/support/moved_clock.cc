// SPDX-License-Identifier: Apache-2.0
// The wall clock of a process, moved while it runs, as who sets a machine's clock moves it: for a
// test program that is linked with this, and for a server that has it preloaded. The clock that
// nobody can set (CLOCK_MONOTONIC) stays.
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <ctime>

namespace {

const std::atomic<std::int64_t> g_nothing = 0;
const std::atomic<std::int64_t>* g_seconds = &g_nothing;

// Takes the clock from the file that a test has named for its server.
[[gnu::constructor]] void go_by_a_file() {
  const char* const path = getenv("BLOOMERY_MOVED_CLOCK");
  if (path == nullptr) return;
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  void* const seconds = mmap(nullptr, sizeof *g_seconds, PROT_READ, MAP_SHARED, file, 0);
  if (file >= 0) close(file);
  if (seconds != MAP_FAILED) g_seconds = static_cast<const std::atomic<std::int64_t>*>(seconds);
}

bool is_wall(clockid_t clock) {
  return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE;
}

}  // namespace

extern "C" {

// Moves the clock of this process, and of those that it forks.
void go_by_moved_clock(const std::atomic<std::int64_t>* seconds) {
  g_seconds = seconds;
}

int clock_gettime(clockid_t clock, timespec* now) noexcept {
  const long status = syscall(SYS_clock_gettime, clock, now);
  if (status == 0 && is_wall(clock)) now->tv_sec += *g_seconds;
  return static_cast<int>(status);
}

int gettimeofday(timeval* now, void*) noexcept {
  timespec exact{};
  clock_gettime(CLOCK_REALTIME, &exact);
  *now = {.tv_sec = exact.tv_sec, .tv_usec = exact.tv_nsec / 1000};
  return 0;
}

time_t time(time_t* out) noexcept {
  timespec exact{};
  clock_gettime(CLOCK_REALTIME, &exact);
  if (out != nullptr) *out = exact.tv_sec;
  return exact.tv_sec;
}

// The kernel waits by the clock as it is; seconds since the machine began are small.
int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                           const timespec* until) {
  constexpr time_t kLongest = 500'000'000;
  if (until->tv_sec < kLongest) {
    return pthread_cond_clockwait(condition, mutex, CLOCK_MONOTONIC, until);
  }
  timespec real = *until;
  real.tv_sec -= *g_seconds;
  return pthread_cond_clockwait(condition, mutex, CLOCK_REALTIME, &real);
}
}
