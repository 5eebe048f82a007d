// SPDX-License-Identifier: Apache-2.0
#include "bloomery/place/coalesced_fence.h"

#include <algorithm>
#include <cstdint>
#include <exception>
#include <limits>
#include <stdexcept>
#include <utility>

#include "bloomery/errors.h"

namespace bloomery {
namespace {

CoalescedFenceOptions checked_fence(CoalescedFenceOptions options) {
  if (options.connections == 0) {
    throw std::invalid_argument(options.name + ": connections is 0; allowed: at least 1");
  }
  return options;
}

GatheringLimits fence_limits(const CoalescedFenceOptions& options) {
  return {.name = options.name,
          .timeout = options.timeout,
          .most_trips = options.connections,
          .patience = options.patience,
          .most_keys = std::numeric_limits<std::int32_t>::max()};
}

}  // namespace

CoalescedFence::CoalescedFence(Open open, CoalescedFenceOptions options)
    : open_(std::move(open)),
      options_(checked_fence(std::move(options))),
      gathering_(
          [this](std::span<const Key>, std::span<Fence> answers, const CallContext& context) {
            std::ranges::fill(answers, question(context));
          },
          Fence{}, fence_limits(options_)) {
  if (!open_) throw std::invalid_argument(options_.name + ": nothing says how to open it");
}

Fence CoalescedFence::ask(const CallContext& context) {
  calls_.fetch_add(1, std::memory_order_relaxed);
  return gathering_.ask(Key(), context);
}

// Asks the database for a whole trip; one thread does.
Fence CoalescedFence::question(const CallContext& context) {
  Mine& mine = mine_.get();
  if (const auto why = mine.back_off.refusal(BackOff::Clock::now())) throw StoreError(*why);
  CallContext limited = context;
  limited.fence = nullptr;
  limited.deadline = std::min(context.deadline, CallContext::Clock::now() + options_.timeout);
  try {
    const Fence answer = ask_someone(mine, limited);
    mine.back_off.succeeded();
    return answer;
  } catch (const CallAborted& error) {
    // A caller's hurry is no fault of the database.
    if (context.is_over()) throw;
    const std::string why = options_.name + ": " + std::to_string(options_.timeout.count()) +
                            " ms passed while asking: " + error.what();
    mine.back_off.failed(BackOff::Clock::now(), why);
    throw StoreError(why);
  } catch (const std::exception& error) {
    mine.back_off.failed(BackOff::Clock::now(), error.what());
    throw;
  }
}

// A connection that was kept may have been cut long ago: its failure says nothing of the database.
Fence CoalescedFence::ask_someone(Mine& mine, const CallContext& context) {
  if (std::unique_ptr<FenceSource> kept = take_idle(mine)) {
    try {
      return ask_one(mine, std::move(kept), context);
    } catch (const CallAborted&) {
      throw;
    } catch (const std::exception&) {
      const std::lock_guard lock(mine.mutex);
      mine.idle.clear();
    }
  }
  std::unique_ptr<FenceSource> source;
  {
    const std::lock_guard lock(mine.opening);
    source = open_();
  }
  if (!source) throw StoreError(options_.name + ": it could not be opened");
  return ask_one(mine, std::move(source), context);
}

Fence CoalescedFence::ask_one(Mine& mine, std::unique_ptr<FenceSource> source,
                              const CallContext& context) {
  questions_.fetch_add(1, std::memory_order_relaxed);
  const Fence answer{.at_least = source->ask(context), .names_history = source->names_history()};
  // Every head without a watermark would be that far.
  if (!answer.at_least.source.is_set())
    throw StoreError(options_.name + ": it does not say of which source");
  const std::lock_guard lock(mine.mutex);
  mine.idle.push_back(std::move(source));
  return answer;
}

std::unique_ptr<FenceSource> CoalescedFence::take_idle(Mine& mine) {
  const std::lock_guard lock(mine.mutex);
  if (mine.idle.empty()) return nullptr;
  std::unique_ptr<FenceSource> source = std::move(mine.idle.back());
  mine.idle.pop_back();
  return source;
}

}  // namespace bloomery
