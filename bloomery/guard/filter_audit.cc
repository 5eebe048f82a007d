#include "bloomery/guard/filter_audit.h"

#include <utility>

namespace bloomery {

void FilterAudit::examine(std::span<const Key> keys, const CallContext& context) noexcept {
  if (keys.empty()) return;
  try {
    // Asked after the query: what it saw is at or before this.
    const std::optional<Fence> fence =
        fence_ ? std::optional<Fence>(fence_(context)) : std::nullopt;
    const std::lock_guard lock(mutex_);
    for (const Key key : keys) {
      if (suspects_.size() < kMostSuspects) suspects_.push_back({std::string(key), fence});
    }
    suspect_count_ = suspects_.size();
  } catch (...) {  // no fence, or no memory: another key will tell
    return;
  }
  look_again(context);
}

void FilterAudit::look_again(const CallContext& context) noexcept {
  if (suspect_count_.load(std::memory_order_relaxed) == 0) return;
  try {
    std::vector<Suspect> suspects;
    {
      const std::lock_guard lock(mutex_);
      suspects.swap(suspects_);
      suspect_count_ = 0;
    }
    std::vector<Suspect> open;
    for (Suspect& suspect : suspects) {
      switch (judge(suspect, context)) {
        case Verdict::right:
          break;
        case Verdict::wrong:
          filter_.doubt(true);
          counters_.add(&GuardCounters::false_absents);
          break;
        case Verdict::open:
          open.push_back(std::move(suspect));
      }
    }
    const std::lock_guard lock(mutex_);
    for (Suspect& suspect : open) {
      if (suspects_.size() < kMostSuspects) suspects_.push_back(std::move(suspect));
    }
    suspect_count_ = suspects_.size();
  } catch (...) {  // no memory: another key will tell
  }
}

void FilterAudit::forget() noexcept {
  const std::lock_guard lock(mutex_);
  suspects_.clear();
  suspect_count_ = 0;
}

FilterAudit::Verdict FilterAudit::judge(const Suspect& suspect, const CallContext& context) const {
  if (pending_.contains(suspect.key)) return Verdict::open;
  CallContext behind = context;
  behind.fence = suspect.fence ? &*suspect.fence : nullptr;
  switch (filter_.ask_again(suspect.key, behind)) {
    case Presence::absent:
      return Verdict::wrong;
    case Presence::maybe:
      return Verdict::right;
    case Presence::unknown:
      break;
  }
  return Verdict::open;
}

}  // namespace bloomery
