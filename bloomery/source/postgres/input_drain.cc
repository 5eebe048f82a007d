// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/postgres/input_drain.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdint>
#include <ctime>
#include <iterator>
#include <system_error>

namespace bloomery::postgres {
namespace {

constexpr std::uint64_t kMostDrained = 4 << 20;
// The pause between reads: waking for each row takes longer than the row.
constexpr timespec kPauseBetween{.tv_sec = 0, .tv_nsec = 300'000};

}  // namespace

InputDrain::InputDrain(PGconn* connection)
    : connection_(connection), over_(eventfd(0, EFD_CLOEXEC)) {
  if (over_ < 0) return;
  try {
    thread_ = std::thread([this] { take_what_comes(); });
  } catch (const std::system_error&) {
    // Further changes wait in the server.
  }
}

InputDrain::~InputDrain() {
  if (over_ < 0) return;
  const std::uint64_t one = 1;
  // The counter takes it at once.
  [[maybe_unused]] const auto written = write(over_, &one, sizeof one);
  if (thread_.joinable()) thread_.join();
  close(over_);
}

void InputDrain::take_what_comes() const {
  std::uint64_t taken = 0;
  pollfd both[] = {{over_, POLLIN, 0}, {PQsocket(connection_), POLLIN, 0}};
  pollfd& over = both[0];
  while (taken < kMostDrained) {
    // A signal is no matter.
    if (poll(both, std::size(both), -1) < 0) continue;
    if (over.revents != 0 || ppoll(&over, 1, &kPauseBetween, nullptr) > 0) return;
    int waiting = 0;
    // Nothing, where something was to be read: the server has ended.
    if (ioctl(both[1].fd, FIONREAD, &waiting) != 0 || waiting == 0) return;
    taken += static_cast<std::uint64_t>(waiting);
    if (PQconsumeInput(connection_) == 0) return;
  }
}

}  // namespace bloomery::postgres
