// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <span>
#include <string>

#include "bloomery/hash/key.h"

namespace bloomery {

// The keys whose entries should be gone from a cache and may not be: erasing them failed. What the
// cache says of them is not believed until it has succeeded. All calls may run together; while
// there are none, contains() and any() are a load.
class DistrustedKeys {
 public:
  // `kMost`: beyond so many keys the oldest way holds: an entry lives for its time.
  static constexpr std::size_t kMost = 100'000;

  bool any() const noexcept { return count_.load(std::memory_order_acquire) != 0; }
  bool contains(Key key) const;

  // Throws std::bad_alloc, with some of the keys in.
  void add(std::span<const Key> keys);

  // Moment: the times of distrust that there were until then. An erase that begins after it makes
  // good for those, and for no later one.
  using Moment = std::uint64_t;
  Moment now() const noexcept { return last_.load(std::memory_order_acquire); }
  void remove(std::span<const Key> keys, Moment at_most) noexcept;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, Moment, std::less<>> keys_;  // and when each was last added
  std::atomic<Moment> last_{0};                      // counted up before its keys are added
  std::atomic<std::size_t> count_{0};
};

}  // namespace bloomery
