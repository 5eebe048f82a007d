// SPDX-License-Identifier: Apache-2.0
#include "bloomery/redis/client/deadline.h"

#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "bloomery/place/stop_alarm.h"
#include "bloomery/redis/client/server_errors.h"

namespace bloomery::redis {
namespace {

using Clock = CallContext::Clock;

}  // namespace

Deadline::Deadline(std::string server, const CallContext& context,
                   std::chrono::milliseconds timeout)
    : server_(std::move(server)),
      timeout_(timeout),
      callers_(context.deadline),
      at_(std::min(context.deadline, Clock::now() + timeout)),
      stop_(context.stop) {}

Deadline::~Deadline() = default;

bool Deadline::wait_for(int file, short events, const char* doing, Clock::time_point sooner) {
  if (stop_.stop_possible() && alarm_ == nullptr) alarm_ = std::make_unique<StopAlarm>(stop_);
  pollfd files[]{{file, events, 0}, {alarm_ ? alarm_->file() : -1, POLLIN, 0}};
  for (;;) {
    check(doing);
    const int ready = poll(files, 2, poll_time_until(std::min(at_, sooner)));
    if (ready < 0 && errno != EINTR) {
      throw ConnectionError(server_ + ": poll: " + std::generic_category().message(errno));
    }
    if (ready > 0 && files[0].revents != 0) return true;
    if (Clock::now() >= sooner) return false;
  }
}

void Deadline::pause(std::chrono::milliseconds length, const char* doing) {
  constexpr int kNoFile = -1;
  wait_for(kNoFile, 0, doing, Clock::now() + length);
}

std::chrono::milliseconds Deadline::left() const {
  return std::chrono::ceil<std::chrono::milliseconds>(at_ - Clock::now());
}

void Deadline::check(const char* doing) const {
  if (stop_.stop_requested() || Clock::now() >= at_) give_up(doing);
}

void Deadline::give_up(const char* doing) const {
  if (stop_.stop_requested()) throw CallAborted(server_ + ": stopped while " + doing);
  if (at_ == callers_) throw CallAborted(server_ + ": the deadline passed while " + doing);
  throw TimeoutError(server_ + ": " + std::to_string(timeout_.count()) + " ms passed while " +
                     doing + kTimeoutAdvice);
}

}  // namespace bloomery::redis
