#pragma once

#include <atomic>
#include <cstddef>
#include <mutex>
#include <string>
#include <unordered_set>

#include "bloomery/hash/key.h"

namespace bloomery {

// The keys whose rows are being inserted: from before the row is visible until after its commit.
// "No such row" about one of them is out of date at once. A key may be in as often as there are
// inserts of it under way. All calls may run together; contains() takes no lock while there is
// none.
class PendingInserts {
 public:
  void add(Key key);
  // Takes out one `add` of the key. A string, so that it need not allocate: it must not fail.
  void remove(const std::string& key) noexcept;
  bool contains(Key key) const;

 private:
  mutable std::mutex mutex_;
  std::unordered_multiset<std::string> keys_;
  std::atomic<std::size_t> count_{0};
};

}  // namespace bloomery
