// SPDX-License-Identifier: Apache-2.0
#pragma once

// Headers and names that the snippets of the documents take for granted.
#include <bloomery/bloomery.h>
#include <bloomery/source/open_changes.h>

#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

using namespace bloomery;

inline std::vector<std::optional<std::string>> load_users(std::span<const Key> keys) {
  return std::vector<std::optional<std::string>>(keys.size());
}

inline const std::vector<Key> keys{"alice", "bob"};

struct Database {
  template <class... Columns>
  void insert(Columns&&...) {}
  void remove(Key) {}
  void commit() {}
};
inline Database database;
extern CacheGuard<>& guard;
extern MemoryCache<>& cache;
extern CoalescedFence& fence;
std::unique_ptr<FenceSource> open_fence_source();
extern MemoryPlace<BlockedFilter>& users;
