// SPDX-License-Identifier: Apache-2.0
#include "bloomery/place/recent_fences.h"

namespace bloomery {

RecentFences::Found RecentFences::find(Clock::time_point now, std::chrono::milliseconds budget) {
  const auto pass = gate_.enter();
  const List& list = *list_.load();
  Found found{.is_due = list.count == 0 || list.all[list.count - 1].at < now - budget / kInBudget};
  for (std::size_t i = 0; i < list.count; ++i) {
    const auto& [asked, at] = list.all[i];
    if (at < now - budget) continue;
    if (!found.oldest) found.oldest = asked;
    if (!asked.known->is_empty()) found.oldest->known = asked.known;
  }
  return found;
}

void RecentFences::add(const JudgedFence& asked, Clock::time_point at) {
  const std::lock_guard lock(publishing_);
  const std::unique_ptr<const List> old(
      list_.exchange(new List(list_.load()->with({.asked = asked, .at = at}))));
  gate_.wait_for_readers();
}

RecentFences::List RecentFences::List::with(const Timed& next) const noexcept {
  List more;
  for (std::size_t i = count == all.size() ? 1 : 0; i < count; ++i) {
    more.all[more.count++] = all[i];
  }
  more.all[more.count++] = next;
  return more;
}

}  // namespace bloomery
