// SPDX-License-Identifier: Apache-2.0
// Watermarks of filters in a string of a server.

#include <gtest/gtest.h>

#include <atomic>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "bloomery/filter/filter_kinds.h"
#include "bloomery/redis/places/native_load.h"
#include "tests/redis/places/native_place_fixture.h"
#include "tests/support/proxy.h"

namespace bloomery::redis {
namespace {

using NativeStepTest = NativeTest;

// Two followers after a failover: what each has done since is no step of the other's.
TEST_F(NativeStepTest, NoTwoStepsAreTheSame) {
  const Watermark one{.source = {1, 2}, .position = 1};
  load_keys(0, 10);
  const auto place = open();
  PlaceHead first = place->head();
  ASSERT_TRUE(place->advance(first, one));
  PlaceHead second = first = place->head();
  const std::string before = bytes();
  ASSERT_TRUE(place->insert_and_advance({}, first, one));
  ask({"SET", "f", before});
  ASSERT_TRUE(open()->insert_and_advance({}, second, one));
  EXPECT_FALSE(place->insert_and_advance({}, first, {.source = {1, 2}, .position = 2}));
}

TEST_F(NativeStepTest, NoStepIsMadeInAnotherFilter) {
  load_keys(0, 10);
  const auto place = open();
  PlaceHead head = place->head();
  load_keys(0, 10, {.old = OldFilter::drop});
  const std::string there = bytes();
  const Watermark one{.source = {1, 2}, .position = 1};
  EXPECT_FALSE(place->insert_and_advance({}, head, one));
  ++head.beat;  // which was not read last
  EXPECT_FALSE(place->insert_and_advance({}, head, one));
  EXPECT_EQ(bytes(), there);
}

// A thousand lines are a transaction; several are one trip, and each begins where the one before
// has ended.
TEST_F(NativeStepTest, AStepOfManyKeysIsOneTripAndStopsWhereSomebodyWas) {
  load_keys(0, 10);
  const auto place = open();
  const auto texts = names(0, 2'500);
  const std::vector<Key> keys(texts.begin(), texts.end());
  PlaceHead head = place->head();
  const PlaceHead before = head;
  const Watermark one{.source = {1, 2}, .position = 1};
  ASSERT_TRUE(place->insert_and_advance(keys, head, one));
  EXPECT_EQ(count(*place, texts, Presence::maybe), texts.size());
  EXPECT_EQ(place->head().watermark, one);
  EXPECT_EQ(place->head().beat, head.beat);
  PlaceHead old = before;
  EXPECT_FALSE(place->insert_and_advance(keys, old, {.source = {1, 2}, .position = 2}));
  EXPECT_EQ(place->head().watermark, one);
}

TEST_F(NativeStepTest, BehindAFenceOnlyTheWatermarkCounts) {
  load_keys(0, 100);
  const auto place = open();
  const Watermark at{.source = {1, 2}, .position = 50};
  const Fence fence{.at_least = at};
  const CallContext behind{.fence = &fence};
  EXPECT_EQ(count(*place, names(5000, 5050), Presence::unknown, behind), 50U);

  PlaceHead head = place->head();
  EXPECT_FALSE(head.watermark);
  const PlaceHead first = head;
  const std::string key = "row 50";
  const Key keys[] = {key};
  ASSERT_TRUE(place->insert_and_advance(keys, head, at));
  EXPECT_EQ(head.watermark, at);
  EXPECT_EQ(place->head().watermark, at);
  EXPECT_EQ(count(*place, names(5000, 5050), Presence::absent, behind), 50U);
  EXPECT_EQ(count(*open(false), {key}, Presence::maybe, behind), 1U);
  const Fence higher{.at_least = {.source = {1, 2}, .position = 51}};
  const Fence other{.at_least = {.source = {1, 3}, .position = 50}};
  for (const Fence* each : {&higher, &other}) {
    EXPECT_EQ(count(*place, names(5000, 5050), Presence::unknown, {.fence = each}), 50U);
  }

  // A step with an outdated header is refused, and moves nothing.
  PlaceHead old = first;
  EXPECT_FALSE(place->insert_and_advance(keys, old, {.source = {1, 2}, .position = 70}));
  EXPECT_FALSE(place->advance(first, {.source = {1, 2}, .position = 70}));
  EXPECT_EQ(open(false)->head().watermark, at);
  EXPECT_TRUE(place->advance(head, {.source = {1, 2}, .position = 70}));
  EXPECT_EQ(place->head().watermark->position, 70U);

  // The watermark stays through an exchange that keeps all.
  load_keys(0, 10, {.old = OldFilter::keep});
  EXPECT_EQ(place->head().watermark->position, 70U);
}

// A copy takes several trips; what comes back meanwhile is not taken for what was there.
TEST_F(NativeStepTest, ACopyBehindAFenceHasAllThatIsBelowIt) {
  const AnyFilter filter = make_filter(
      FilterKind::blocked, {.capacity = 2'000'000, .false_positive_rate = 0.001, .seed = 7});
  load_native(*client_, filter.contents(), {});
  const auto place = open();
  PlaceHead head = place->head();
  ASSERT_TRUE(place->insert_and_advance({}, head, {.source = {1, 2}, .position = 1}));
  ask({"COPY", "f", "old"});
  const std::vector<std::string> rows = names(0, 200);
  const std::vector<Key> keys(rows.begin(), rows.end());
  const Fence fence{.at_least = {.source = {1, 2}, .position = 2}};
  ASSERT_TRUE(place->insert_and_advance(keys, head, fence.at_least));
  ask({"COPY", "f", "new"});
  std::jthread failing([&](const std::stop_token& stop) {
    Client other(parse_location(at()));
    while (!stop.stop_requested()) {
      for (const char* each : {"old", "new"}) {
        other.run(Request().add({"COPY", each, "f", "REPLACE"}), Repeat::never);
      }
    }
  });
  int lost = 0;
  for (int i = 0; i < 5; ++i) {
    try {
      const AnyFilter copy = open(false)->copy({.fence = &fence});
      for (const Key row : keys) lost += copy.may_contain(row) ? 0 : 1;
    } catch (const StoreError&) {  // it was seen
    }
  }
  EXPECT_EQ(lost, 0);
  failing.request_stop();
  failing.join();
  const AnyFilter copy = open(false)->copy({.fence = &fence});
  for (const Key row : keys) EXPECT_TRUE(copy.may_contain(row));
  ask({"COPY", "old", "f", "REPLACE"});
  EXPECT_THROW(open(false)->copy({.fence = &fence}), StoreError);
}

TEST_F(NativeStepTest, AFenceIsNotReachedByAnOlderDump) {
  load_keys(0, 0);
  const auto place = open();
  PlaceHead head = place->head();
  ASSERT_TRUE(place->insert_and_advance({}, head, {.source = {1, 2}, .position = 1}));
  const std::string before = bytes();
  const std::string key = "row 2";
  const Key keys[] = {key};
  ASSERT_TRUE(place->insert_and_advance(keys, head, {.source = {1, 2}, .position = 2}));
  const Fence fence{.at_least = {.source = {1, 2}, .position = 2}};
  ask({"SET", "f", before});  // as a failover or RESTORE leaves it
  EXPECT_EQ(count(*open(false), {key}, Presence::unknown, {.fence = &fence}), 1U);
  // Nobody puts the next watermark above a body that lacks this one's keys.
  const auto again = open();
  EXPECT_FALSE(again->insert_and_advance({}, head, {.source = {1, 2}, .position = 3}));
}

// A follower does this at once where an older copy was put back, while a slow line is in the midst
// of a question.
TEST_F(NativeStepTest, AFenceIsNotReachedByAnOlderDumpThatIsCarriedUpAgain) {
  load_keys(0, 0);
  const auto place = open();
  PlaceHead head = place->head();
  ASSERT_TRUE(place->insert_and_advance({}, head, {.source = {1, 2}, .position = 1}));
  ask({"COPY", "f", "old"});
  const auto texts = names(0, 2000);
  const std::vector<Key> keys(texts.begin(), texts.end());
  const Fence fence{.at_least = {.source = {1, 2}, .position = 2}};
  ASSERT_TRUE(place->insert_and_advance(keys, head, fence.at_least));

  std::atomic<int> pieces = -100;  // of the question
  const testing::Proxy proxy(
      socket(), [](std::string&, std::mt19937&) { return true; },
      [&] {
        const int piece = ++pieces;
        if (piece == 2) ask({"COPY", "old", "f", "REPLACE"});
        if (piece != 3) return;
        const auto follower = open();
        PlaceHead found = follower->head();
        EXPECT_EQ(found.watermark->position, 1U);
        EXPECT_TRUE(follower->insert_and_advance(keys, found, fence.at_least));
      });
  const auto reader = open_native_place(
      "redis://127.0.0.1:" + std::to_string(proxy.port()) + "?timeout=20000#f", false);
  pieces = 0;
  EXPECT_EQ(count(*reader, texts, Presence::absent, {.fence = &fence}), 0U);
  EXPECT_GT(pieces, 3);
  EXPECT_EQ(count(*reader, texts, Presence::maybe, {.fence = &fence}), 2000U);
}

TEST_F(NativeStepTest, EachTransactionOfAStepTakesABeat) {
  load_keys(0, 0);
  const auto place = open();
  PlaceHead head = place->head();
  const auto texts = names(0, 5000);  // several transactions
  const std::vector<Key> keys(texts.begin(), texts.end());
  ASSERT_TRUE(place->insert_and_advance(keys, head, {.source = {1, 2}, .position = 9}));
  EXPECT_GT(head.beat, 1U) << "a server that loses one takes none of the next";
  EXPECT_EQ(head.watermark->position, 9U);
  EXPECT_EQ(count(*place, texts, Presence::maybe), 5000U);
}

}  // namespace
}  // namespace bloomery::redis
