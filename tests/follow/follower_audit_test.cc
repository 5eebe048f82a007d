// SPDX-License-Identifier: Apache-2.0
#include "bloomery/follow/follower_audit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "bloomery/errors.h"
#include "bloomery/follow/followed_place.h"
#include "bloomery/follow/follower.h"
#include "bloomery/open/open_place.h"
#include "bloomery/place/memory_place.h"
#include "bloomery/redis/client/client.h"
#include "bloomery/redis/places/partition_keys.h"
#include "tests/follow/followed_in_front.h"
#include "tests/follow/follower_fixture.h"
#include "tests/support/redis_server.h"

namespace bloomery {
namespace {

using std::chrono::milliseconds;
using testing::RedisServer;

std::vector<std::string> rows(int count) {
  std::vector<std::string> all;
  for (int i = 0; i < count; ++i) all.push_back("row " + std::to_string(i));
  return all;
}

// Records the keys that it is asked for, and denies them on demand.
class AskedPlace final : public FilterPlace {
 public:
  std::string name() const override { return "asked"; }
  void ask(std::span<const Key> keys, std::span<Presence> answers, Proofs&,
           const CallContext& context) override {
    ASSERT_NE(context.fence, nullptr);
    EXPECT_EQ(context.fence->at_least, *now.watermark);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      asked.emplace(keys[i]);
      answers[i] = denies ? Presence::absent : Presence::maybe;
    }
  }
  using FilterPlace::insert_many;
  void insert_many(std::span<const Key>, std::span<Inserted>, const CallContext&) override {}
  PlaceHead head(const CallContext&) override { return now; }

  PlaceHead now{.identity = {1, 2}, .watermark = Watermark{{3, 4}, 5}, .beat = 6};
  std::multiset<std::string> asked{};
  bool denies = false;
};

TEST(FollowerAudit, DrawsOneInSoManyHoweverTheyCome) {
  const auto texts = rows(100'000);
  const std::vector<Key> keys(texts.begin(), texts.end());
  for (const std::size_t batch : {std::size_t{1}, std::size_t{7}, keys.size()}) {
    FollowerAudit audit(100);
    for (std::size_t at = 0; at < keys.size(); at += batch) {
      audit.take(std::span(keys).subspan(at, std::min(batch, keys.size() - at)));
    }
    AskedPlace place;
    EXPECT_EQ(audit.ask(place, place.now, {}).asked, 0U) << "the watermark is not there yet";
    audit.settle();
    for (int i = 0; i < 4; ++i) audit.ask(place, place.now, {});
    // Six standard deviations of a binomial: 31.5 each.
    const std::set<std::string> drawn(place.asked.begin(), place.asked.end());
    EXPECT_NEAR(static_cast<double>(drawn.size()), 1000, 190) << batch;
  }
}

TEST(FollowerAudit, KeepsABoundedNumberAndAsksForAllOfThem) {
  const auto texts = rows(20'000);
  const std::vector<Key> keys(texts.begin(), texts.end());
  FollowerAudit audit(1);
  audit.take(keys);
  const std::string huge(100'000, 'x');
  const Key key(huge);
  audit.take(std::span(&key, 1));
  audit.settle();
  AskedPlace place;
  std::uint64_t asked = 0;
  for (int i = 0; i < 16; ++i) asked += audit.ask(place, place.now, {}).asked;
  EXPECT_EQ(asked, 4096U);
  EXPECT_FALSE(place.asked.contains(huge));
  audit.forget();
  EXPECT_EQ(audit.ask(place, place.now, {}).asked, 0U);
}

TEST(FollowerAudit, IsADenialOnlyOfTheFilterThatWasLeftThere) {
  FollowerAudit audit(1);
  const Key key("row");
  audit.take(std::span(&key, 1));
  audit.settle();
  AskedPlace place;
  const PlaceHead left = place.now;
  EXPECT_FALSE(audit.ask(place, left, {}).is_denied);
  place.denies = true;
  EXPECT_TRUE(audit.ask(place, left, {}).is_denied);
  place.now.beat = 7;
  EXPECT_FALSE(audit.ask(place, left, {}).is_denied) << "somebody has moved it";
  place.now = left;
  place.now.identity = {9, 9};
  EXPECT_FALSE(audit.ask(place, left, {}).is_denied) << "another one";
}

// Has lost all bits, while it is told so.
class LossyPlace final : public FollowedInFront {
 public:
  LossyPlace() : FollowedInFront(memory_) {}
  void ask(std::span<const Key> keys, std::span<Presence> answers, Proofs& proofs,
           const CallContext& context) override {
    FollowedInFront::ask(keys, answers, proofs, context);
    if (denies) std::ranges::replace(answers, Presence::maybe, Presence::absent);
  }
  std::unique_ptr<Rebuild> begin_rebuild(const FilterOptions& wanted,
                                         const CallContext& context) override {
    if (!may_be_built) throw StoreError("no memory");
    return place_.begin_rebuild(wanted, context);
  }

  std::atomic<bool> denies = false;
  std::atomic<bool> may_be_built = true;

 private:
  MemoryPlace<> memory_{blocked({.capacity = 1000})};
};

class FollowerAuditTest : public FollowerTest {
 protected:
  void SetUp() override {
    FollowerTest::SetUp();
    if (!RedisServer::is_installed()) GTEST_SKIP() << "no redis-server here";
    server_ = std::make_unique<RedisServer>(folder_.path(""));
  }
  PlaceLocation bitmap(const std::string& settings = "") const {
    return parse_place_location("bitmap:redis+unix://" + server_->socket() + settings + "#users");
  }
  static FollowerOptions options() {
    return {.look_every = milliseconds(20),
            .longest_pause = milliseconds(20),
            .audit_one_in = 10,
            .audit_every = milliseconds(1)};
  }

  std::unique_ptr<RedisServer> server_;
};

// The header of the filter is as it was, and so is its watermark.
TEST_F(FollowerAuditTest, FindsAFilterThatHasLostBitsAndBuildsItAgain) {
  for (const std::string settings : {"", "?partitions=2"}) {
    server_->ask("FLUSHALL");
    writer_.run("DELETE FROM users");
    insert("row ", 2000);
    FollowedPlace place(bitmap(settings), blocked);
    const auto from = source();
    Follower follower(*from, place, options());
    Following running(follower);
    running.wait_until([](const FollowerStatus& now) { return now.audited > 300; });
    EXPECT_EQ(follower.status().denied, 0U);
    EXPECT_FALSE(follower.status().is_doubted);

    redis::Client client(redis::parse_location(place.name().substr(7)));
    const std::string key = settings.empty() ? "users" : redis::partition_key("users", 1, 2);
    const std::string nothing(1000, '\0');
    const redis::Answer answer = client.run(
        redis::Request().add({"SETRANGE", key, "4096", nothing}).about(key), redis::Repeat::never);
    redis::require_done(answer.replies.at(0), client.location());
    running.wait_until([](const FollowerStatus& now) { return now.denied > 0; });
    running.wait_until([](const FollowerStatus& now) { return now.rebuilds == 2; });
    running.wait_for(fence());
    EXPECT_FALSE(follower.status().is_doubted);
    expect_in(*open_place(bitmap(settings)), "row ", 2000, fence());
    const std::uint64_t denied = follower.status().denied;
    const std::uint64_t audited = follower.status().audited;
    running.wait_until([&](const FollowerStatus& now) { return now.audited > audited + 300; });
    EXPECT_EQ(follower.status().denied, denied);
    EXPECT_EQ(follower.status().rebuilds, 2U);
  }
}

// The rows are written by a connection that has switched triggers off.
TEST_F(FollowerAuditTest, FindsRowsThatTheDatabaseNeverToldOf) {
  insert("row ", 100);
  FollowedPlace place(bitmap(), blocked);
  const auto from = source();
  Follower follower(*from, place, options());
  Following running(follower);
  running.wait_until([](const FollowerStatus& now) { return now.audited > 100; });
  EXPECT_EQ(follower.status().denied, 0U);
  writer_.switch_triggers_off();
  insert("untold ", 100);
  running.wait_until([](const FollowerStatus& now) { return now.denied > 0; });
  running.wait_until([](const FollowerStatus& now) { return now.rebuilds == 2; });
  running.wait_for(fence());
  expect_in(*open_place(bitmap()), "untold ", 100, fence());
}

// A scan may take long.
TEST_F(FollowerAuditTest, AFilterThatHasLostBitsDeniesNothingUntilItIsBuiltAgain) {
  insert("row ", 100);
  LossyPlace place;
  const auto from = source();
  FollowerOptions once = options();
  once.longest_pause = std::chrono::hours(1);  // the first pause is short, which is no matter
  Follower follower(*from, place, once);
  Following running(follower);
  running.wait_until_followed();
  const Watermark reached = fence();
  place.may_be_built = false;
  place.denies = true;
  running.wait_until([](const FollowerStatus& now) { return now.denied == 1; });
  running.wait_until([](const FollowerStatus& now) { return now.failures > 1; });
  EXPECT_TRUE(follower.status().is_doubted);
  EXPECT_NE(place.head({}).watermark->source, reached.source);
  place.denies = false;
  place.may_be_built = true;
  running.wait_until([](const FollowerStatus& now) { return !now.is_doubted; });
  running.wait_for(fence());
  EXPECT_EQ(follower.status().denied, 1U);
}

// Rows go, filters are built again without them, older ones are put back and carried up.
TEST_F(FollowerAuditTest, IsQuietWhereNoBitIsLost) {
  insert("row ", 2000);
  FollowedPlace place(bitmap(), blocked);
  FollowedPlace other_place(bitmap(), blocked);
  const auto from = source();
  const auto other_from = source();
  Follower follower(*from, place, options());
  Follower other(*other_from, other_place, options());
  Following running(follower);
  running.wait_until_followed();
  {
    Following beside(other);
    const auto until = std::chrono::steady_clock::now() + milliseconds(1500);
    for (int turn = 0; std::chrono::steady_clock::now() < until; ++turn) {
      const std::string name = "turn " + std::to_string(turn) + " ";
      insert(name, 50);
      if (turn % 3 == 0) server_->ask("COPY users saved REPLACE");
      if (turn % 3 == 1) writer_.run("DELETE FROM users WHERE id > 'turn'");
      if (turn % 5 == 2) server_->ask("COPY saved users REPLACE");
      if (turn % 7 == 3) follower.rebuild();
      if (turn % 7 == 5) other.rebuild();
      if (turn % 11 == 4) server_->ask("FLUSHALL");
      std::this_thread::sleep_for(milliseconds(10));
    }
  }
  follower.rebuild();  // it may have let go of all rows that it remembered
  const std::uint64_t audited = follower.status().audited;
  running.wait_until([&](const FollowerStatus& now) { return now.audited > audited + 100; });
  EXPECT_EQ(follower.status().denied, 0U);
  EXPECT_EQ(other.status().denied, 0U);
  EXPECT_GT(follower.status().rebuilds, 1U);
}

}  // namespace
}  // namespace bloomery
