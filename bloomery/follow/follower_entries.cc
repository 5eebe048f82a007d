#include "bloomery/follow/follower_entries.h"

#include <span>
#include <utility>

namespace bloomery {
namespace {

constexpr std::size_t kMostBytes = std::size_t{64} << 20;

std::size_t bytes_of(const PackedKeys& keys) noexcept {
  return keys.byte_count() + keys.size() * sizeof(std::size_t);
}

}  // namespace

FollowerEntries::FollowerEntries(EntryEraser* cache, std::chrono::milliseconds again_after)
    : cache_(cache), again_after_(again_after) {}

std::uint64_t FollowerEntries::erase(const Changes& changes, const CallContext& context) {
  if (cache_ == nullptr) return 0;
  erase_again(Clock::now(), context);
  for (const std::span<const Key> keys : {changes.keys, changes.touched}) {
    if (keys.empty()) continue;
    cache_->erase_many(keys, context);
    for (const Key key : keys) open_.add(key);
  }
  std::uint64_t left = changes.untold_count;
  if (changes.watermark && !changes.has_open) end_open();
  if (bytes_of(open_) + ended_bytes_ > kMostBytes) {
    left += open_.size();
    end(context);
  }
  return left;
}

void FollowerEntries::end(const CallContext& context) {
  end_open();
  erase_again(Clock::time_point::max(), context);
}

void FollowerEntries::end_open() {
  if (open_.empty()) return;
  ended_bytes_ += bytes_of(open_);
  ended_.push_back({Clock::now() + again_after_, std::exchange(open_, {})});
}

void FollowerEntries::erase_again(Clock::time_point now, const CallContext& context) {
  while (!ended_.empty() && ended_.front().again_at <= now) {
    PackedKeys& keys = ended_.front().keys;
    cache_->erase_many(keys.keys(), context);
    ended_bytes_ -= bytes_of(keys);
    ended_.pop_front();
  }
}

}  // namespace bloomery
