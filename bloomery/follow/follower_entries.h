// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

#include "bloomery/guard/cache.h"
#include "bloomery/place/call_context.h"
#include "bloomery/place/watermark.h"
#include "bloomery/source/change_source.h"
#include "bloomery/source/packed_keys.h"

namespace bloomery {

// Erases what a cache knows of rows that changed, twice. The first time is when the change comes,
// before the watermark moves above it. But a change may come before everybody sees it: its
// transaction has not ended, or waits for a standby. Who asks the database in between gets the old
// row, and writes that. So its entries are erased again a while after the transaction's end came,
// and not before everybody sees it.
class FollowerEntries {
 public:
  // ChangeSource::drop_seen
  using DropSeen = std::function<void(std::vector<std::uint64_t>& ended, const CallContext&)>;

  // Null: there is no cache.
  FollowerEntries(EntryEraser* cache, std::chrono::milliseconds again_after, DropSeen drop_seen);

  // Erases the entries of the changes, and again the entries whose time has come. Returns of how
  // many rows an old entry may be left until it expires, because nobody told their keys, or too
  // many wait until they are seen. Throws what the cache and drop_seen throw; then the same changes
  // are to come again.
  std::uint64_t erase(const Changes& changes, const CallContext& context);
  // Whatever has not ended is undone, or comes again from its beginning.
  void end_open();
  // Ends; nobody calls erase() any more.
  void end(const CallContext& context);

 private:
  using Clock = std::chrono::steady_clock;
  struct Ended {
    Clock::time_point again_at;
    PackedKeys keys;
    std::vector<std::uint64_t> transactions;  // that may not be seen yet
    std::size_t byte_count() const noexcept;
  };

  void take_source(const Identity& source);
  void erase_again(const CallContext& context);

  EntryEraser* const cache_;
  const std::chrono::milliseconds again_after_;
  const DropSeen drop_seen_;
  Ended open_{};       // of transactions whose end has not come
  Identity source_{};  // that has names for transactions
  Clock::time_point look_at_{};
  std::deque<Ended> ended_{};
  std::size_t ended_bytes_ = 0;
};

}  // namespace bloomery
