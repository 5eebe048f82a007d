#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>

#include "bloomery/filter/call_context.h"
#include "bloomery/guard/cache.h"
#include "bloomery/source/change_source.h"
#include "bloomery/source/packed_keys.h"

namespace bloomery {

// Erases what a cache knows of rows that changed, twice. The first time is when the change comes,
// before the watermark moves above it. But a change may come before everybody sees it: its
// transaction has not ended, or waits for a standby. Who asks the database in between gets the old
// row, and writes that. So its entries are erased again a while after the transaction's end came.
class FollowerEntries {
 public:
  // Null: there is no cache.
  FollowerEntries(EntryEraser* cache, std::chrono::milliseconds again_after);

  // Also those again whose time has come. Of how many rows an old entry may be left until it
  // expires: nobody told their keys, or too many wait for the end of a transaction. Throws what the
  // cache throws; then the same changes are to come again.
  std::uint64_t erase(const Changes& changes, const CallContext& context);
  // Whatever has not ended is undone, or comes again from its beginning.
  void end_open();
  // Nobody calls erase() any more.
  void end(const CallContext& context);

 private:
  using Clock = std::chrono::steady_clock;
  struct Ended {
    Clock::time_point again_at;
    PackedKeys keys;
  };

  void erase_again(Clock::time_point now, const CallContext& context);

  EntryEraser* const cache_;
  const std::chrono::milliseconds again_after_;
  PackedKeys open_{};  // of transactions whose end has not come
  std::deque<Ended> ended_{};
  std::size_t ended_bytes_ = 0;
};

}  // namespace bloomery
