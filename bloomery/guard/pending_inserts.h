// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_set>
#include <vector>

#include "bloomery/hash/key.h"
#include "bloomery/place/call_context.h"

namespace bloomery {

// The keys whose rows are being inserted: from before a row is visible until after its commit. "No
// such row" about one of them is out of date at once. A key may be in as often as there are inserts
// of it under way. All calls may run together; contains() takes no lock while there is none.
class PendingInserts {
 public:
  using Id = std::uint64_t;
  using Keys = std::shared_ptr<const std::vector<std::string>>;

  // One insert of so many rows.
  Id add(Keys keys);
  void remove(Id insert) noexcept;
  bool contains(Key key) const;

  // Waits until all inserts that are under way now have ended. False when the context is over
  // before.
  bool wait_out(const CallContext& context);

 private:
  mutable std::mutex mutex_;
  std::condition_variable_any removed_;
  std::map<Id, Keys> inserts_;
  std::unordered_multiset<std::string> keys_;
  std::atomic<std::size_t> count_{0};
  Id next_ = 1;
};

}  // namespace bloomery
