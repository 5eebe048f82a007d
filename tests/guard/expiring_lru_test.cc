// SPDX-License-Identifier: Apache-2.0
#include "bloomery/guard/expiring_lru.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <list>
#include <memory>
#include <random>
#include <string>

namespace bloomery {
namespace {

using std::chrono::seconds;
using Lru = ExpiringLru<int>;

// An LRU cache in the slowest way, to compare with.
class SlowLru {
 public:
  struct Entry {
    std::string key;
    int value;  // 0: negative
    Lru::TimePoint expires_at;
  };

  int get(const std::string& key, Lru::TimePoint now) {
    const auto found = find_live(key, now);
    if (found == all_.end()) return -1;
    all_.splice(all_.begin(), all_, found);
    return found->value;
  }
  void put(const std::string& key, int value, Lru::TimePoint expires_at) {
    const auto found = std::ranges::find(all_, key, &Entry::key);
    if (found != all_.end()) {
      all_.erase(found);
    } else if (value == 0 && count(true) >= kNegatives) {
      drop_oldest(true);
    } else if (all_.size() >= kCapacity) {
      drop_oldest(count(false) == 0);
    }
    all_.push_front({key, value, expires_at});
  }
  void put_negative(const std::string& key, Lru::TimePoint now, Lru::TimePoint expires_at) {
    if (find_live(key, now) == all_.end()) put(key, 0, expires_at);
  }
  void erase(const std::string& key) {
    std::erase_if(all_, [&](const Entry& entry) { return entry.key == key; });
  }
  std::size_t size() const { return all_.size(); }

  static constexpr std::size_t kCapacity = 40;
  static constexpr std::size_t kNegatives = 10;

 private:
  std::size_t count(bool negative) const {
    return static_cast<std::size_t>(std::ranges::count_if(
        all_, [&](const Entry& entry) { return (entry.value == 0) == negative; }));
  }
  void drop_oldest(bool negative) {
    const auto oldest = std::ranges::find_if(all_.rbegin(), all_.rend(), [&](const Entry& entry) {
      return (entry.value == 0) == negative;
    });
    all_.erase(std::next(oldest).base());
  }
  std::list<Entry>::iterator find_live(const std::string& key, Lru::TimePoint now) {
    const auto found = std::ranges::find(all_, key, &Entry::key);
    if (found == all_.end() || now < found->expires_at) return found;
    all_.erase(found);
    return all_.end();
  }

  std::list<Entry> all_;
};

TEST(ExpiringLru, DoesWhatASlowOneDoes) {
  Lru fast(SlowLru::kCapacity, SlowLru::kNegatives);
  SlowLru slow;
  std::mt19937 random(1);
  Lru::TimePoint now{};
  for (int step = 1; step <= 20'000; ++step) {
    const auto number = random() % 100;
    // Some keys are too long for the room inside a string.
    const std::string key = std::string(number % 3 == 0 ? 200 : 0, 'x') + std::to_string(number);
    const HashedKey hash = hashed(key);
    const auto expires_at = now + seconds(1 + random() % 50);
    switch (random() % 8) {
      case 0:
      case 1:
        fast.put(hash, std::make_shared<const int>(step), expires_at);
        slow.put(key, step, expires_at);
        break;
      case 2:
        fast.put_negative(hash, now, expires_at);
        slow.put_negative(key, now, expires_at);
        break;
      case 3:
        fast.erase(hash);
        slow.erase(key);
        break;
      case 4:
        now += seconds(random() % 3);
        break;
      default: {
        const Lru::Found found = fast.get(hash, now);
        const int expected = slow.get(key, now);
        ASSERT_EQ(found.state, expected < 0    ? Cached::miss
                               : expected == 0 ? Cached::negative
                                               : Cached::hit)
            << "step " << step;
        if (expected > 0) {
          ASSERT_EQ(*found.value, expected) << "step " << step;
        }
      }
    }
    ASSERT_EQ(fast.size(), slow.size()) << "step " << step;
  }
}

TEST(ExpiringLru, AValueThatHasToGoIsHandedOut) {
  Lru lru(1, 0);
  EXPECT_EQ(lru.put(hashed("a"), std::make_shared<const int>(1), Lru::TimePoint::max()), nullptr);
  EXPECT_EQ(*lru.put(hashed("a"), std::make_shared<const int>(2), Lru::TimePoint::max()), 1);
  EXPECT_EQ(*lru.put(hashed("b"), std::make_shared<const int>(3), Lru::TimePoint::max()), 2);
  EXPECT_EQ(*lru.erase(hashed("b")), 3);
  EXPECT_EQ(lru.size(), 0U);
}

}  // namespace
}  // namespace bloomery
