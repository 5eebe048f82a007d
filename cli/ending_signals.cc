// SPDX-License-Identifier: Apache-2.0
#include "cli/ending_signals.h"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>

namespace bloomery::cli {
namespace {

bool is_ignored(int signal) {
  struct sigaction now {};
  return sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
}

}  // namespace

EndingSignals::EndingSignals(std::initializer_list<int> others) {
  sigemptyset(&signals_);
  for (const int other : others) sigaddset(&signals_, other);
  for (const int ending : {SIGINT, SIGTERM, SIGHUP}) {
    if (!is_ignored(ending)) sigaddset(&signals_, ending);
  }
  pthread_sigmask(SIG_BLOCK, &signals_, &before_);
}

EndingSignals::~EndingSignals() {
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

std::optional<int> EndingSignals::wait(std::chrono::milliseconds most) const {
  most = std::max(most, std::chrono::milliseconds::zero());
  const timespec time{.tv_sec = most.count() / 1000,
                      .tv_nsec = static_cast<long>(most.count() % 1000) * 1'000'000};
  const int signal = sigtimedwait(&signals_, nullptr, &time);
  return signal > 0 ? std::optional(signal) : std::nullopt;
}

void die_of(int signal) {
  struct sigaction action {};
  action.sa_handler = SIG_DFL;
  sigaction(signal, &action, nullptr);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, signal);
  raise(signal);
  pthread_sigmask(SIG_UNBLOCK, &only, nullptr);
  _exit(128 + signal);
}

}  // namespace bloomery::cli
