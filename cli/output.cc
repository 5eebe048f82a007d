// SPDX-License-Identifier: Apache-2.0
#include "cli/output.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "bloomery/errors.h"

namespace bloomery::cli {
namespace {

void write_through(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    // EAGAIN: another program that shares the pipe or terminal may have made it one that does not
    // wait.
    if (written < 0 && errno == EAGAIN) {
      pollfd until_read{.fd = descriptor, .events = POLLOUT, .revents = 0};
      poll(&until_read, 1, -1);
      continue;
    }
    if (written < 0) {
      throw StoreError(std::string("cannot write standard output: ") + std::strerror(errno));
    }
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace

Output::~Output() {
  try {
    flush();
  } catch (const StoreError&) {
    // The failure is dropped: another error is on its way to the user, or flush() has thrown this
    // one.
  }
}

void Output::write_beside() {
  thread_.emplace([this](std::string_view bytes) { write_through(descriptor_, bytes); });
}

void Output::hand_on() {
  if (buffer_.empty()) return;
  try {
    if (thread_) {
      thread_->take(buffer_);
    } else {
      write_through(descriptor_, buffer_);
    }
  } catch (const StoreError&) {
    buffer_.clear();  // This is not tried twice.
    throw;
  }
  buffer_.clear();
}

void Output::flush() {
  hand_on();
  if (thread_) thread_->finish();
}

bool Output::is_written_within(std::chrono::milliseconds time) {
  return !thread_ || thread_->finishes_within(time);
}

// The buffer first; then what is too long for it goes out from where it is.
void Output::write_beyond(std::string_view bytes) {
  if (bytes.size() >= kBufferBytes) {
    flush();
    return write_through(descriptor_, bytes);
  }
  hand_on();
  buffer_.reserve(kBufferBytes);
  buffer_ += bytes;
}

}  // namespace bloomery::cli
