// SPDX-License-Identifier: Apache-2.0
#include "bloomery/place/stop_alarm.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <system_error>

#include "bloomery/os/event_file.h"

namespace bloomery {

StopAlarm::EventFile::EventFile() : file_(os::open_event_file()) {
  if (!file_.is_open()) throw std::system_error(errno, std::generic_category(), "eventfd");
}

void StopAlarm::EventFile::signal() const noexcept {
  os::signal_event(get());
}

StopAlarm::StopAlarm(const std::stop_token& stop) : on_stop_(stop, [this] { file_.signal(); }) {}

int poll_time_until(CallContext::Clock::time_point time) noexcept {
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(time - CallContext::Clock::now()).count();
  return static_cast<int>(std::clamp<long long>(left, 0, 1'000'000));
}

}  // namespace bloomery
