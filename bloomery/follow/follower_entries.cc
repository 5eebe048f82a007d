// SPDX-License-Identifier: Apache-2.0
#include "bloomery/follow/follower_entries.h"

#include <algorithm>
#include <span>
#include <utility>

namespace bloomery {
namespace {

constexpr std::size_t kMostBytes = std::size_t{64} << 20;

}  // namespace

std::size_t FollowerEntries::Ended::byte_count() const noexcept {
  return keys.byte_count() + keys.size() * sizeof(std::size_t) +
         transactions.size() * sizeof(std::uint64_t);
}

FollowerEntries::FollowerEntries(EntryEraser* cache, std::chrono::milliseconds again_after,
                                 DropSeen drop_seen)
    : cache_(cache), again_after_(again_after), drop_seen_(std::move(drop_seen)) {}

std::uint64_t FollowerEntries::erase(const Changes& changes, const CallContext& context) {
  if (cache_ == nullptr) return 0;
  if (changes.watermark) take_source(changes.watermark->source);
  erase_again(context);
  for (const std::span<const Key> keys : {changes.keys, changes.touched}) {
    if (keys.empty()) continue;
    cache_->erase_many(keys, context);
    for (const Key key : keys) open_.keys.add(key);
  }
  if (!open_.keys.empty()) {
    open_.transactions.insert(open_.transactions.end(), changes.ended.begin(), changes.ended.end());
  }
  std::uint64_t left = changes.untold_count;
  if (changes.watermark && !changes.has_open) end_open();
  if (open_.byte_count() + ended_bytes_ > kMostBytes) {
    left += open_.keys.size();
    for (const Ended& each : ended_) left += each.transactions.empty() ? 0 : each.keys.size();
    end(context);
  }
  return left;
}

// Forgets the names of transactions of another source: the table was read again, or the server
// began anew.
void FollowerEntries::take_source(const Identity& source) {
  const Identity last = std::exchange(source_, source);
  if (last == source || !last.is_set()) return;
  open_.transactions.clear();
  for (Ended& each : ended_) each.transactions.clear();
}

void FollowerEntries::end(const CallContext& context) {
  end_open();
  while (!ended_.empty()) {
    cache_->erase_many(ended_.front().keys.keys(), context);
    ended_bytes_ -= ended_.front().byte_count();
    ended_.pop_front();
  }
}

void FollowerEntries::end_open() {
  if (open_.keys.empty()) return;
  ended_bytes_ += open_.byte_count();
  open_.again_at = Clock::now() + again_after_;
  ended_.push_back(std::exchange(open_, {}));
}

// A question to the database about all of them, and not for every change that comes.
void FollowerEntries::erase_again(const CallContext& context) {
  const auto now = Clock::now();
  if (now < look_at_) return;
  look_at_ = now + again_after_;
  const auto is_due = [&](const Ended& each) { return each.again_at <= now; };
  std::vector<std::uint64_t> unseen;
  for (auto each = ended_.begin(); each != ended_.end() && is_due(*each); ++each) {
    unseen.insert(unseen.end(), each->transactions.begin(), each->transactions.end());
  }
  if (!unseen.empty()) drop_seen_(unseen, context);
  std::ranges::sort(unseen);
  const auto is_unseen = [&](std::uint64_t transaction) {
    return std::ranges::binary_search(unseen, transaction);
  };
  for (auto each = ended_.begin(); each != ended_.end() && is_due(*each);) {
    if (std::ranges::any_of(each->transactions, is_unseen)) {
      ++each;
      continue;
    }
    cache_->erase_many(each->keys.keys(), context);
    ended_bytes_ -= each->byte_count();
    each = ended_.erase(each);
  }
}

}  // namespace bloomery
