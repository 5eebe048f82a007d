// SPDX-License-Identifier: Apache-2.0
#include "bloomery/guard/filter_audit.h"

#include <algorithm>

namespace bloomery {

FilterAudit::Inquiry::Inquiry(FilterAudit& audit, std::span<const Key> keys) noexcept
    : audit_(audit) {
  try {
    for (const Key key : keys) {
      suspects_.push_back(std::make_shared<Suspect>(Suspect{.key = std::string(key)}));
    }
    const std::lock_guard lock(audit_.mutex_);
    audit_.suspects_.insert(audit_.suspects_.end(), suspects_.begin(), suspects_.end());
    audit_.suspect_count_ = audit_.suspects_.size();
  } catch (...) {  // no memory: another key will tell
    suspects_.clear();
  }
}

FilterAudit::Inquiry::~Inquiry() {
  if (suspects_.empty()) return;
  const std::lock_guard lock(audit_.mutex_);
  for (const std::shared_ptr<Suspect>& suspect : suspects_) {
    if (!suspect->found) audit_.remove(suspect);
  }
}

void FilterAudit::Inquiry::found(std::span<const std::size_t> positions,
                                 const CallContext& context) noexcept {
  if (positions.empty() || suspects_.empty()) return;
  try {
    // Asked after the query: what it saw is at or before this.
    const std::optional<Fence> fence =
        audit_.fence_ ? std::optional<Fence>(audit_.fence_(context)) : std::nullopt;
    const std::lock_guard lock(audit_.mutex_);
    std::size_t room = kMostFound - std::min(kMostFound, audit_.found_count());
    for (const std::size_t position : positions) {
      if (room-- == 0) break;
      Suspect& suspect = *suspects_[position];
      suspect.fence = fence;
      suspect.found = true;
    }
  } catch (...) {  // no fence, or no memory: another key will tell
    return;
  }
  audit_.look_again(context);
}

void FilterAudit::look_again(const CallContext& context) noexcept {
  if (suspect_count_.load() == 0) return;
  std::vector<std::shared_ptr<Suspect>> suspects;
  try {
    const std::lock_guard lock(mutex_);
    for (const std::shared_ptr<Suspect>& suspect : suspects_) {
      if (suspect->found && !suspect->being_judged) suspects.push_back(suspect);
    }
    for (const std::shared_ptr<Suspect>& suspect : suspects) suspect->being_judged = true;
  } catch (...) {  // no memory: another key will tell
    return;
  }
  for (const std::shared_ptr<Suspect>& suspect : suspects) {
    Verdict verdict = Verdict::open;
    try {
      verdict = judge(*suspect, context);
    } catch (...) {  // no memory
    }
    settle(suspect, verdict);
  }
}

void FilterAudit::forget(std::span<const Key> keys) noexcept {
  if (suspect_count_.load() == 0) return;
  const std::lock_guard lock(mutex_);
  std::erase_if(suspects_, [&](const std::shared_ptr<Suspect>& suspect) {
    return std::ranges::find(keys, Key(suspect->key)) != keys.end();
  });
  suspect_count_ = suspects_.size();
}

void FilterAudit::forget_all() noexcept {
  const std::lock_guard lock(mutex_);
  suspects_.clear();
  suspect_count_ = 0;
}

// The row was there before the filter is asked, and is there after it: nobody announced that it
// came back meanwhile, or settle() would not find the suspect, so it never went.
FilterAudit::Verdict FilterAudit::judge(const Suspect& suspect, const CallContext& context) const {
  if (pending_.contains(suspect.key)) return Verdict::open;
  CallContext behind = context;
  behind.fence = suspect.fence ? &*suspect.fence : nullptr;
  switch (filter_.ask_again(suspect.key, behind)) {
    case Presence::absent:
      break;
    case Presence::maybe:
      return Verdict::right;
    case Presence::unknown:
      return Verdict::open;
  }
  const std::optional<bool> is_there = row_is_there_(suspect.key, context);
  if (!is_there) return Verdict::open;
  return *is_there ? Verdict::wrong : Verdict::right;
}

void FilterAudit::settle(const std::shared_ptr<Suspect>& suspect, Verdict verdict) noexcept {
  const std::lock_guard lock(mutex_);
  suspect->being_judged = false;
  if (verdict == Verdict::open || !remove(suspect) || verdict == Verdict::right) return;
  filter_.doubt(true);
  counters_.add(&GuardCounters::false_absents);
}

std::size_t FilterAudit::found_count() const noexcept {
  return static_cast<std::size_t>(std::ranges::count_if(
      suspects_, [](const std::shared_ptr<Suspect>& suspect) { return suspect->found; }));
}

bool FilterAudit::remove(const std::shared_ptr<Suspect>& suspect) noexcept {
  const bool was_there = std::erase(suspects_, suspect) != 0;
  suspect_count_ = suspects_.size();
  return was_there;
}

}  // namespace bloomery
