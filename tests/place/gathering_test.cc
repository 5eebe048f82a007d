// SPDX-License-Identifier: Apache-2.0
// Questions that gather while others travel: who shares a trip, and who fails with whom.

#include "bloomery/place/gathering.h"

#include <gtest/gtest.h>

#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/run_threads.h"

namespace bloomery {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kLong{60'000};

// Plays a server: notes each round trip, and answers each key with its length.
class Trips {
 public:
  explicit Trips(GatheringLimits limits)
      : gathering_([this](std::span<const Key> keys, std::span<std::size_t> answers,
                          const CallContext& context) { travel(keys, answers, context); },
                   0, std::move(limits)) {}

  std::size_t ask(Key key, const CallContext& context = {}) { return gathering_.ask(key, context); }

  // Trips with this key take until then, or until their context is over.
  void hold(const std::string& key) { set(key, true); }
  void release(const std::string& key) { set(key, false); }

  std::size_t waiting() { return gathering_.waiting(); }
  void wait_for_waiting(std::size_t count) {
    while (waiting() < count) std::this_thread::yield();
  }
  std::vector<std::multiset<std::string>> all() {
    const std::lock_guard lock(mutex_);
    return trips_;
  }
  void wait_for(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return trips_.size() >= count; });
  }

 private:
  void set(const std::string& key, bool held) {
    const std::lock_guard lock(mutex_);
    held ? void(held_.insert(key)) : void(held_.erase(key));
    changed_.notify_all();
  }

  void travel(std::span<const Key> keys, std::span<std::size_t> answers,
              const CallContext& context) {
    std::unique_lock lock(mutex_);
    trips_.emplace_back(keys.begin(), keys.end());
    changed_.notify_all();
    const auto is_free = [&] {
      return std::ranges::none_of(keys, [&](Key key) { return held_.contains(std::string(key)); });
    };
    const auto until = std::min(context.deadline, CallContext::Clock::now() + kLong);
    if (!changed_.wait_until(lock, context.stop, until, is_free)) throw CallAborted("over");
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (keys[i] == "poison") throw std::runtime_error("poisoned");
      answers[i] = keys[i].size();
    }
  }

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::vector<std::multiset<std::string>> trips_;
  std::set<std::string> held_;
  Gathering<std::size_t> gathering_;
};

GatheringLimits one_by_one() {
  return {.name = "test", .timeout = kLong, .usual_trips = 1, .most_trips = 1, .patience = kLong};
}

// Asks in a thread of its own, and keeps what came of it.
class Asker {
 public:
  Asker(Trips& trips, std::string key, CallContext context = {})
      : thread_([this, &trips, key = std::move(key), context = std::move(context)]() mutable {
          try {
            answer_ = trips.ask(key, context);
          } catch (const std::exception&) {
            failure_ = std::current_exception();
          }
          key.assign(key.size(), '!');  // nobody may look at it any more
        }) {}
  Asker(const Asker&) = delete;
  Asker& operator=(const Asker&) = delete;
  ~Asker() {
    if (thread_.joinable()) thread_.join();
  }

  std::size_t answer() {
    EXPECT_EQ(failure(), "");
    return answer_;
  }
  std::string failure() {
    if (thread_.joinable()) thread_.join();
    try {
      if (failure_) std::rethrow_exception(failure_);
    } catch (const std::exception& error) {
      return error.what();
    }
    return {};
  }

 private:
  std::size_t answer_ = 0;
  // Several may share it: the sanitizer does not see how the last of them is found, who frees it.
  std::exception_ptr failure_{};
  std::thread thread_;
};

std::vector<std::unique_ptr<Asker>> ask_all(Trips& trips, const std::vector<std::string>& keys) {
  std::vector<std::unique_ptr<Asker>> askers;
  const std::size_t before = trips.waiting();
  for (const std::string& key : keys) askers.push_back(std::make_unique<Asker>(trips, key));
  trips.wait_for_waiting(before + keys.size());
  return askers;
}

TEST(Gathering, AloneIsATripOfOneKey) {
  Trips trips(one_by_one());
  EXPECT_EQ(trips.ask("abc"), 3U);
  EXPECT_EQ(trips.ask(""), 0U);
  EXPECT_EQ(trips.all(), (std::vector<std::multiset<std::string>>{{"abc"}, {""}}));
}

TEST(Gathering, WhoComesWhileATripIsUnderWaySharesTheNextAndHasHisOwnAnswer) {
  Trips trips(one_by_one());
  trips.hold("first");
  Asker first(trips, "first");
  trips.wait_for(1);
  const auto others = ask_all(trips, {"a", "bb", "ccc", "bb"});
  trips.release("first");
  EXPECT_EQ(first.answer(), 5U);
  EXPECT_EQ(others[0]->answer(), 1U);
  EXPECT_EQ(others[1]->answer(), 2U);
  EXPECT_EQ(others[2]->answer(), 3U);
  EXPECT_EQ(others[3]->answer(), 2U);
  EXPECT_EQ(trips.all(),
            (std::vector<std::multiset<std::string>>{{"first"}, {"a", "bb", "bb", "ccc"}}));
}

TEST(Gathering, ATripHasNoMoreKeysThanItMay) {
  GatheringLimits limits = one_by_one();
  limits.most_keys = 2;
  limits.longest_key = 5;
  Trips trips(limits);
  trips.hold("first");
  Asker first(trips, "first");
  trips.wait_for(1);
  const auto others = ask_all(trips, {"a", "b", "c"});
  EXPECT_EQ(trips.ask("longer"), 6U) << "it travels alone, at once";
  trips.release("first");
  for (int i = 0; i < 3; ++i) EXPECT_EQ(others[i]->answer(), 1U);
  EXPECT_EQ(trips.all().size(), 4U);
}

TEST(Gathering, TheDeadlineOfOneFailsNobodyElse) {
  Trips trips(one_by_one());
  trips.hold("first");
  trips.hold("a");
  Asker first(trips, "first");
  trips.wait_for(1);
  Asker gathers(trips, "gathers", CallContext::within(milliseconds(5)));
  EXPECT_NE(gathers.failure().find("over"), std::string::npos);
  std::stop_source stop;
  CallContext context = CallContext::within(kLong / 2);  // so that another leads
  context.stop = stop.get_token();
  Asker travels(trips, "travels", context);
  trips.wait_for_waiting(1);
  const auto others = ask_all(trips, {"a", "bb"});
  trips.release("first");
  trips.wait_for(2);
  stop.request_stop();
  EXPECT_NE(travels.failure().find("over"), std::string::npos) << "its trip is under way";
  trips.release("a");
  EXPECT_EQ(others[0]->answer(), 1U);
  EXPECT_EQ(others[1]->answer(), 2U);
  EXPECT_EQ(trips.all(),
            (std::vector<std::multiset<std::string>>{{"first"}, {"a", "bb", "travels"}}));
}

TEST(Gathering, WhereItsLeaderIsStoppedTheOthersAskAnew) {
  Trips trips(one_by_one());
  trips.hold("first");
  trips.hold("leader");
  Asker first(trips, "first");
  trips.wait_for(1);
  std::stop_source stop;
  Asker other(trips, "a", CallContext::within(kLong / 2));
  Asker leader(trips, "leader", {.stop = stop.get_token()});  // has more time
  trips.wait_for_waiting(2);
  trips.release("first");
  trips.wait_for(2);
  stop.request_stop();
  EXPECT_NE(leader.failure().find("over"), std::string::npos);
  EXPECT_EQ(other.answer(), 1U);
  EXPECT_EQ(trips.all().back(), std::multiset<std::string>{"a"});
}

TEST(Gathering, AFailedTripIsToldToAllInItAndNotRepeated) {
  Trips trips(one_by_one());
  trips.hold("first");
  Asker first(trips, "first");
  trips.wait_for(1);
  const auto others = ask_all(trips, {"a", "poison", "b"});
  trips.release("first");
  for (const auto& each : others) EXPECT_EQ(each->failure(), "poisoned");
  EXPECT_EQ(trips.all().size(), 2U);
  EXPECT_EQ(trips.ask("after"), 5U);
}

TEST(Gathering, WhoWaitsTooLongForATripGoesWithAllThatGathered) {
  Trips trips({.name = "test", .timeout = kLong, .usual_trips = 1, .most_trips = 2});
  trips.hold("first");
  trips.hold("second");
  Asker first(trips, "first");
  trips.wait_for(1);
  Asker second(trips, "second");
  trips.wait_for(2);
  const auto others = ask_all(trips, {"a", "bb"});
  EXPECT_EQ(trips.all().size(), 2U) << "these are the most";
  trips.release("second");
  EXPECT_EQ(others[0]->answer(), 1U);
  EXPECT_EQ(others[1]->answer(), 2U);
  trips.release("first");
  EXPECT_EQ(trips.all().size(), 3U);
}

TEST(Gathering, TheTimeoutIsOneOfTheLocationWhoeverWaits) {
  GatheringLimits limits = one_by_one();
  limits.timeout = milliseconds(30);
  Trips trips(limits);
  trips.hold("first");
  Asker first(trips, "first", CallContext::within(kLong));
  trips.wait_for(1);
  EXPECT_THROW(trips.ask("gathers"), StoreError);
  trips.release("first");
}

// Each answer is of a moment after its question came: a thread finds what it inserted before.
TEST(Gathering, AnAnswerIsNeverOlderThanItsQuestion) {
  std::mutex mutex;
  std::set<std::string> inserted;
  Gathering<int> gathering(
      [&](std::span<const Key> keys, std::span<int> answers, const CallContext&) {
        const std::lock_guard lock(mutex);
        for (std::size_t i = 0; i < keys.size(); ++i) {
          answers[i] = inserted.contains(std::string(keys[i])) ? 1 : 0;
        }
      },
      0, {.usual_trips = 2, .most_trips = 4, .patience = milliseconds(1)});
  std::atomic<int> lost = 0;
  run_threads(8, [&](int thread) {
    for (int i = 0; i < 300; ++i) {
      const std::string key = std::to_string(thread) + "/" + std::to_string(i);
      {
        const std::lock_guard lock(mutex);
        inserted.insert(key);
      }
      std::stop_source stop;
      if (i % 7 == 0) stop.request_stop();
      CallContext context = i % 5 == 0 ? CallContext::within(milliseconds(i % 2)) : CallContext{};
      if (i % 7 == 0) context.stop = stop.get_token();
      try {
        lost += gathering.ask(key, context) == 1 ? 0 : 1;
      } catch (const CallAborted&) {
      }
    }
  });
  EXPECT_EQ(lost, 0);
}

}  // namespace
}  // namespace bloomery
