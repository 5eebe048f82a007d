// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/mariadb/waiting.h"

#include <mysql.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "bloomery/errors.h"
#include "bloomery/place/stop_alarm.h"

namespace bloomery::mariadb {
namespace {

using WaitClock = CallContext::Clock;

}  // namespace

Waiting::Waiting(std::string server, const CallContext& context, std::chrono::milliseconds timeout)
    : server_(std::move(server)), context_(context), timeout_(timeout) {}

Waiting::~Waiting() = default;

int Waiting::wait(int file, int wanted, const char* doing) {
  if (context_.stop.stop_possible() && alarm_ == nullptr) {
    alarm_ = std::make_unique<StopAlarm>(context_.stop);
  }
  short events = 0;
  if ((wanted & MYSQL_WAIT_READ) != 0) events |= POLLIN;
  if ((wanted & MYSQL_WAIT_WRITE) != 0) events |= POLLOUT;
  if ((wanted & MYSQL_WAIT_EXCEPT) != 0) events |= POLLPRI;
  const auto silent = WaitClock::now() + timeout_;
  const auto until = std::min(context_.deadline, silent);
  pollfd files[]{{file, events, 0}, {alarm_ ? alarm_->file() : -1, POLLIN, 0}};
  while (true) {
    check(doing);
    const int ready = poll(files, 2, poll_time_until(until));
    if (ready < 0 && errno != EINTR) {
      throw StoreError(server_ + ": poll: " + std::generic_category().message(errno));
    }
    if (ready > 0 && files[0].revents != 0) break;
    if (WaitClock::now() < silent) continue;
    check(doing);
    throw StoreError(server_ + ": " + std::to_string(timeout_.count()) + " ms without a word of " +
                     "the server while " + doing + "; &timeout=MS allows more");
  }
  int there = 0;
  if ((files[0].revents & (POLLIN | POLLERR | POLLHUP)) != 0) there |= wanted & MYSQL_WAIT_READ;
  if ((files[0].revents & (POLLOUT | POLLERR | POLLHUP)) != 0) there |= wanted & MYSQL_WAIT_WRITE;
  if ((files[0].revents & POLLPRI) != 0) there |= wanted & MYSQL_WAIT_EXCEPT;
  return there;
}

void Waiting::check(const char* doing) const {
  if (!context_.is_over()) return;
  const char* const what = context_.stop.stop_requested() ? ": stopped" : ": the deadline passed";
  throw CallAborted(server_ + what + " while " + doing);
}

}  // namespace bloomery::mariadb
