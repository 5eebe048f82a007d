#include "cli/state_keeper.h"

#include <unistd.h>

#include <exception>
#include <utility>

#include "cli/messages.h"

namespace bloomery::cli {
namespace {

constexpr std::chrono::seconds kLongestStep(2);

// Wakes the thread to stop it. Whoever gets it and does not wait for it does not notice.
constexpr int kWake = SIGURG;

bool is_ignored(int signal) {
  struct sigaction action {};
  return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

timespec timespec_of(std::chrono::nanoseconds duration) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(duration);
  return {static_cast<time_t>(seconds.count()), static_cast<long>((duration - seconds).count())};
}

}  // namespace

StateKeeper::StateKeeper(std::optional<std::chrono::milliseconds> interval,
                         std::function<void()> save)
    : interval_(interval), save_(std::move(save)) {
  sigemptyset(&waited_for_);
  sigaddset(&waited_for_, kWake);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    if (!is_ignored(signal)) sigaddset(&waited_for_, signal);
  }
  pthread_sigmask(SIG_BLOCK, &waited_for_, &mask_before_);
  thread_ = std::thread([this] { run(); });
}

StateKeeper::~StateKeeper() {
  stops_ = true;
  pthread_kill(thread_.native_handle(), kWake);
  thread_.join();
  pthread_sigmask(SIG_SETMASK, &mask_before_, nullptr);
}

void StateKeeper::run() {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::hours kWhileNothingIsSaved(1);
  const Clock::duration interval = interval_ ? Clock::duration(*interval_) : kWhileNothingIsSaved;
  auto next = Clock::now() + interval;
  while (!stops_) {
    const timespec left = timespec_of(std::max(next - Clock::now(), Clock::duration::zero()));
    const int signal = sigtimedwait(&waited_for_, nullptr, &left);
    if (stops_) return;
    if (signal == SIGINT || signal == SIGTERM || signal == SIGHUP) end_process(signal);
    if (Clock::now() < next) continue;
    // Where a step takes longer, signals must not wait for it here.
    if (interval_) {
      const Lock held(mutex_, kLongestStep);
      if (held) save();
    }
    next = Clock::now() + interval;
  }
}

void StateKeeper::save() noexcept {
  try {
    save_();
  } catch (const std::exception& error) {
    complain(error.what());
  }
}

void StateKeeper::end_process(int signal) noexcept {
  const Lock held = interval_ ? Lock(mutex_, kLongestStep) : lock();
  if (held) save();
  // As if it had not been waited for: who waits for this process learns which signal it was.
  std::signal(signal, SIG_DFL);
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, signal);
  pthread_sigmask(SIG_UNBLOCK, &one, nullptr);
  kill(getpid(), signal);
  pause();
}

}  // namespace bloomery::cli
