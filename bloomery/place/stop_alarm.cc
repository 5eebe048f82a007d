// SPDX-License-Identifier: Apache-2.0
#include "bloomery/place/stop_alarm.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <system_error>

namespace bloomery {

StopAlarm::EventFile::EventFile() : file_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (file_ < 0) throw std::system_error(errno, std::generic_category(), "eventfd");
}

StopAlarm::EventFile::~EventFile() {
  close(file_);
}

void StopAlarm::EventFile::signal() const noexcept {
  eventfd_write(file_, 1);
}

StopAlarm::StopAlarm(const std::stop_token& stop) : on_stop_(stop, [this] { file_.signal(); }) {}

int poll_time_until(CallContext::Clock::time_point time) noexcept {
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(time - CallContext::Clock::now()).count();
  return static_cast<int>(std::clamp<long long>(left, 0, 1'000'000));
}

}  // namespace bloomery
