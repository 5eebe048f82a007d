// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <span>

#include "bloomery/guard/cache_guard.h"
#include "bloomery/guard/memory_cache.h"
#include "bloomery/place/memory_place.h"

namespace {
std::atomic<int> allocations = 0;
}

// Stays out of line: the compiler would see free() meet new and warn.
[[gnu::noinline]] void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace bloomery {
namespace {

struct EmptyFilter {
  void may_contain_many(std::span<const Key>, std::span<bool> found) const {
    for (bool& each : found) each = false;
  }
  void insert_concurrently(Key) {}
};

TEST(CacheGuard, AnAbsentKeyAllocatesNothing) {
  MemoryPlace presence(EmptyFilter{});
  presence.ready();
  MemoryCache<std::string> cache({.capacity = 10});
  CacheGuard<std::string> guard(presence, cache, [](std::span<const Key> keys) {
    return std::vector<std::optional<std::string>>(keys.size());
  });
  EXPECT_EQ(guard.get("the first call may set up"), std::nullopt);
  const int before = allocations;
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(guard.get("a key too long for the room inside a string"), std::nullopt);
  }
  EXPECT_EQ(allocations, before);
  EXPECT_EQ(guard.counters().filter_absents, 101U);
}

}  // namespace
}  // namespace bloomery
