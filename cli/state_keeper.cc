// SPDX-License-Identifier: Apache-2.0
#include "cli/state_keeper.h"

#include <pthread.h>

#include <exception>
#include <utility>

#include "cli/messages.h"

namespace bloomery::cli {
namespace {

constexpr std::chrono::seconds kLongestStep(2);

}  // namespace

StateKeeper::StateKeeper(std::optional<std::chrono::milliseconds> interval,
                         std::function<void()> save)
    : interval_(interval), save_(std::move(save)), thread_([this] { run(); }) {}

StateKeeper::~StateKeeper() {
  stops_ = true;
  pthread_kill(thread_.native_handle(), kWake);
  thread_.join();
}

void StateKeeper::run() {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::hours kWhileNothingIsSaved(1);
  const Clock::duration interval = interval_ ? Clock::duration(*interval_) : kWhileNothingIsSaved;
  auto next = Clock::now() + interval;
  while (!stops_) {
    const auto signal =
        signals_.wait(std::chrono::ceil<std::chrono::milliseconds>(next - Clock::now()));
    if (stops_) return;
    if (signal && *signal != kWake) end_process(*signal);
    if (Clock::now() < next) continue;
    // If a step takes longer, signals must not wait for it here.
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
  die_of(signal);
}

}  // namespace bloomery::cli
