// SPDX-License-Identifier: Apache-2.0
// Watermarks of filters in several strings of a server.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "tests/redis/places/partitioned_fixture.h"
#include "tests/support/proxy.h"

namespace bloomery::redis {
namespace {

using PartitionedStepTest = PartitionedTest;

// Each part's own head proves its lines.
TEST_F(PartitionedStepTest, AFenceIsNotReachedByAnOlderDumpThatIsCarriedUpAgain) {
  load_keys(0, 0);
  const auto place = open();
  PlaceHead head = place->head();
  ASSERT_TRUE(place->insert_and_advance({}, head, {.source = {1, 2}, .position = 1}));
  for (std::uint32_t i = 0; i < kParts; ++i) ask({"COPY", part(i), part(i) + "old"});
  const auto texts = texts_of(0, 3000);
  const std::vector<Key> keys(texts.begin(), texts.end());
  const Fence fence{.at_least = {.source = {1, 2}, .position = 2}};
  ASSERT_TRUE(place->insert_and_advance(keys, head, fence.at_least));

  std::atomic<int> pieces = -100;  // of the question
  const testing::Proxy proxy(
      shared_->server.socket(), [](std::string&, std::mt19937&) { return true; },
      [&] {
        const int piece = ++pieces;
        for (std::uint32_t i = 0; piece == 2 && i < kParts; ++i) {
          ask({"COPY", part(i) + "old", part(i), "REPLACE"});
        }
        if (piece != 3) return;
        const auto follower = open();
        PlaceHead found = follower->head();
        EXPECT_TRUE(follower->insert_and_advance(keys, found, fence.at_least));
      });
  const auto reader = open_native_place(
      "redis://127.0.0.1:" + std::to_string(proxy.port()) + "?timeout=20000#f", false);
  pieces = 0;
  EXPECT_EQ(count_of(*reader, texts, Presence::absent, {.fence = &fence}), 0U);
  EXPECT_GT(pieces, 3);
  EXPECT_EQ(count_of(*reader, texts, Presence::maybe, {.fence = &fence}), 3000U);
}

// A part that cannot be watched is written by a script, as ever.
TEST_F(PartitionedStepTest, AStepOfManyKeysOfEachPartSetsThemWithoutAScript) {
  AnyFilter same = filter_of(0, 0);
  load_native(*client_, same.contents(), {});
  const auto place = open();
  const auto all = texts_of(0, 6000);
  const std::vector<Key> keys(all.begin(), all.end());
  PlaceHead head = place->head();
  const auto has_called = [&](const std::string& command) {
    const std::string stats = ask({"INFO", "commandstats"}).text;
    return stats.find("cmdstat_" + command + ":") != std::string::npos;
  };
  ask({"CONFIG", "RESETSTAT"});
  const Identity source = Identity::random();
  ASSERT_TRUE(place->insert_and_advance(std::span(keys).first(3000), head, {source, 5}));
  EXPECT_TRUE(has_called("watch"));
  EXPECT_FALSE(has_called("eval"));
  EXPECT_EQ(open()->head().watermark, (Watermark{source, 5}));

  ask({"EXPIRE", part(2), "1000"});
  ASSERT_TRUE(place->insert_and_advance(std::span(keys).subspan(3000), head, {source, 6}));
  EXPECT_TRUE(has_called("eval")) << "of the part that expires";
  EXPECT_EQ(open()->head().watermark, (Watermark{source, 6}));
  same.insert_many(keys);
  const AnyFilter there = open()->copy();
  EXPECT_TRUE(std::ranges::equal(there.contents().words.front(), same.contents().words.front()));
}

TEST_F(PartitionedStepTest, EachPartHasAWatermarkAndTheLowestCounts) {
  load_keys(0, 100);
  const auto place = open();
  PlaceHead head = place->head();
  EXPECT_FALSE(head.watermark);
  const Identity source = Identity::random();
  const auto texts = texts_of(100, 200);
  const std::vector<Key> keys(texts.begin(), texts.end());
  ASSERT_TRUE(place->insert_and_advance(keys, head, {source, 5}));
  EXPECT_EQ(head.watermark, (Watermark{source, 5}));
  EXPECT_EQ(open()->head().watermark, (Watermark{source, 5}));
  EXPECT_EQ(count_of(*place, texts, Presence::maybe), 100U);
  const Fence reached{{source, 5}};
  const Fence ahead{{source, 6}};
  const auto strangers = texts_of(3000, 4000);
  EXPECT_GT(count_of(*place, strangers, Presence::absent, {.fence = &reached}), 980U);
  EXPECT_EQ(count_of(*place, strangers, Presence::absent, {.fence = &ahead}), 0U);

  // A caller with another header does not move it.
  const auto other = open();
  PlaceHead theirs = other->head();
  ASSERT_TRUE(other->advance(theirs, {source, 6}));
  EXPECT_FALSE(place->advance(head, {source, 7}));
  head = place->head();
  EXPECT_EQ(head.watermark, (Watermark{source, 6}));
  ASSERT_TRUE(place->advance(head, {source, 7}));

  // An old dump of one part is behind, and that part alone.
  const Reply dump = ask({"DUMP", part(2)});
  head = place->head();
  ASSERT_TRUE(place->insert_and_advance(keys, head, {source, 8}));
  ask({"RESTORE", part(2), "0", dump.text, "REPLACE"});
  EXPECT_EQ(place->head().watermark, (Watermark{source, 7}));
  const auto look = [&] {
    Proofs proofs;
    place->ask({}, {}, proofs);
    EXPECT_EQ(proofs.all().size(), kParts);
    return proofs;
  };
  EXPECT_EQ(std::ranges::count(look().all(), Watermark{source, 8}, &Proof::watermark), kParts - 1)
      << "by which the others deny";

  // A partition that is not there when all are looked at is not known.
  const Proofs whole = look();
  ask({"RENAME", part(2), "away"});
  EXPECT_EQ(look().all()[2].filter, 0U);
  ask({"RENAME", "away", part(2)});
  const Proofs again = look();
  for (const Proof& each : again.all()) EXPECT_TRUE(whole.has_filter_of(each));
  const Fence now{{source, 8}};
  EXPECT_NEAR(static_cast<double>(count_of(*place, strangers, Presence::unknown, {.fence = &now})),
              250, 80);
  EXPECT_FALSE(place->advance(head, {source, 9})) << "keys have to be sent again";
}

}  // namespace
}  // namespace bloomery::redis
