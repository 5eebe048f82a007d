#include "bloomery/source/mariadb/waiting.h"

#include <mysql.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <functional>
#include <stop_token>
#include <system_error>

#include "bloomery/errors.h"

namespace bloomery::mariadb {
namespace {

using WaitClock = CallContext::Clock;

// Rounded up: poll() must not return just before the time, again and again.
int poll_time_until(WaitClock::time_point time) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(time - WaitClock::now()).count();
  return static_cast<int>(std::clamp<long long>(left, 0, 1'000'000));
}

}  // namespace

struct Waiting::Alarm {
  class EventFile {
   public:
    EventFile() : file_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
      if (file_ < 0) throw std::system_error(errno, std::generic_category(), "eventfd");
    }
    EventFile(const EventFile&) = delete;
    EventFile& operator=(const EventFile&) = delete;
    ~EventFile() { close(file_); }

    int get() const noexcept { return file_; }
    void signal() const noexcept { eventfd_write(file_, 1); }

   private:
    int file_;
  };

  explicit Alarm(const std::stop_token& stop) : on_stop(stop, [this] { file.signal(); }) {}

  EventFile file;
  std::stop_callback<std::function<void()>> on_stop;
};

Waiting::Waiting(std::string server, const CallContext& context, std::chrono::milliseconds timeout)
    : server_(std::move(server)), context_(context), timeout_(timeout) {}

Waiting::~Waiting() = default;

int Waiting::wait(int file, int wanted, const char* doing) {
  if (context_.stop.stop_possible() && alarm_ == nullptr) {
    alarm_ = std::make_unique<Alarm>(context_.stop);
  }
  short events = 0;
  if ((wanted & MYSQL_WAIT_READ) != 0) events |= POLLIN;
  if ((wanted & MYSQL_WAIT_WRITE) != 0) events |= POLLOUT;
  if ((wanted & MYSQL_WAIT_EXCEPT) != 0) events |= POLLPRI;
  const auto silent = WaitClock::now() + timeout_;
  const auto until = std::min(context_.deadline, silent);
  pollfd files[]{{file, events, 0}, {alarm_ ? alarm_->file.get() : -1, POLLIN, 0}};
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
