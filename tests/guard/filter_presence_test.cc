#include "bloomery/guard/filter_presence.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "bloomery/filter/blocked_filter.h"
#include "tests/guard/run_threads.h"

namespace bloomery {
namespace {

// The shape of a filter in memory: exact, for the test.
class BatchOnlyFilter {
 public:
  void may_contain_many(std::span<const Key> keys, std::span<bool> found) const {
    const std::lock_guard lock(mutex_);
    largest_batch = std::max(largest_batch, keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) {
      found[i] = members_.contains(std::string(keys[i]));
    }
  }
  void insert_concurrently(Key key) {
    const std::lock_guard lock(mutex_);
    members_.emplace(key);
  }

  mutable std::size_t largest_batch = 0;

 private:
  mutable std::mutex mutex_;
  std::set<std::string> members_;
};

// One that is quicker when asked for one key.
struct SingleFilter : BatchOnlyFilter {
  bool may_contain(Key key) const {
    ++single_calls;
    bool found = false;
    may_contain_many({&key, 1}, {&found, 1});
    return found;
  }
  mutable int single_calls = 0;
};

TEST(FilterPresence, SaysMaybeForMembersAndAbsentForTheRest) {
  BatchOnlyFilter filter;
  FilterPresence presence(filter);
  presence.insert("a");
  EXPECT_EQ(presence.presence_of("a"), Presence::maybe);
  EXPECT_EQ(presence.presence_of("b"), Presence::absent);
}

TEST(FilterPresence, AnswersABatchOfAnyLengthInOrder) {
  BatchOnlyFilter filter;
  FilterPresence presence(filter);
  for (const std::size_t count : {0U, 1U, 255U, 256U, 257U, 1'000U}) {
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < count; ++i) texts.push_back(std::to_string(i));
    const std::vector<Key> keys(texts.begin(), texts.end());
    for (std::size_t i = 0; i < count; i += 3) presence.insert(keys[i]);
    std::vector<Presence> answers(count, Presence::unknown);
    presence.presence_of_many(keys, answers);
    for (std::size_t i = 0; i < count; ++i) {
      EXPECT_EQ(answers[i], i % 3 == 0 ? Presence::maybe : Presence::absent) << i << "/" << count;
    }
  }
  EXPECT_GT(filter.largest_batch, 1U);
}

TEST(FilterPresence, AsksOneKeyTheFiltersOwnWay) {
  SingleFilter filter;
  FilterPresence presence(filter);
  presence.insert("a");
  EXPECT_EQ(presence.presence_of("a"), Presence::maybe);
  EXPECT_EQ(presence.presence_of("b"), Presence::absent);
  EXPECT_EQ(filter.single_calls, 2);
}

TEST(FilterPresence, TakesTheLibrarysOwnFilters) {
  BlockedFilter filter({.capacity = 1'000, .false_positive_rate = 0.0001});
  FilterPresence presence(filter);
  presence.insert("a");
  const std::array<Key, 2> keys{"b", "a"};
  std::array<Presence, 2> answers{};
  presence.presence_of_many(keys, answers);
  EXPECT_EQ(answers, (std::array{Presence::absent, Presence::maybe}));
  EXPECT_EQ(presence.presence_of("a"), Presence::maybe);
  EXPECT_EQ(presence.presence_of("b"), Presence::absent);
}

TEST(FilterPresence, IsAskedWhileOthersInsert) {
  BatchOnlyFilter filter;
  FilterPresence presence(filter);
  run_threads(4, [&](int thread) {
    for (int i = 0; i < 500; ++i) {
      const std::string key = std::to_string(thread * 1'000 + i);
      presence.insert(key);
      EXPECT_EQ(presence.presence_of(key), Presence::maybe);
    }
  });
}

}  // namespace
}  // namespace bloomery
