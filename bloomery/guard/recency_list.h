// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace bloomery {

// The base of an entry of a RecencyList: its neighbours, by which it also comes out of the list.
struct RecencyLinks {
  RecencyLinks() noexcept = default;
  RecencyLinks(const RecencyLinks&) = delete;
  RecencyLinks& operator=(const RecencyLinks&) = delete;

  RecencyLinks* newer = this;
  RecencyLinks* older = this;
};

// A ring of entries from the newest to the oldest, threaded through the entries themselves: no
// allocation. Entries derive from RecencyLinks; the list does not own them. Not thread-safe.
template <class Entry>
class RecencyList {
 public:
  std::size_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }
  Entry& oldest() noexcept { return static_cast<Entry&>(*ring_.newer); }

  void add_newest(Entry& entry) noexcept {
    RecencyLinks& links = entry;
    links.newer = &ring_;
    links.older = ring_.older;
    links.older->newer = &links;
    ring_.older = &links;
    ++size_;
  }
  void remove(Entry& entry) noexcept {
    RecencyLinks& links = entry;
    links.newer->older = links.older;
    links.older->newer = links.newer;
    --size_;
  }
  void make_newest(Entry& entry) noexcept {
    remove(entry);
    add_newest(entry);
  }

 private:
  RecencyLinks ring_;  // its `older` is the newest entry, its `newer` the oldest
  std::size_t size_ = 0;
};

}  // namespace bloomery
