// SPDX-License-Identifier: Apache-2.0
// Filters of our own in several strings of a server; cluster_test.cc has them over several nodes.

#include "bloomery/redis/places/partitioned_place.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <string>
#include <utility>
#include <vector>

#include "bloomery/redis/client/hash_slot.h"
#include "tests/redis/places/partitioned_fixture.h"

namespace bloomery::redis {
namespace {

TEST(PartitionKeys, SpreadEvenlyOverTheSlots) {
  for (const std::uint32_t count : {2U, 3U, 64U, kMostParts}) {
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::string key = partition_key("users", i, count);
      ASSERT_TRUE(key.starts_with("users:{") && key.ends_with("}:" + std::to_string(i))) << key;
      ASSERT_EQ(hash_slot(key) * count / kHashSlots, i) << key;
    }
  }
  EXPECT_THROW(partition_key("a{b}", 0, 4), std::invalid_argument);
}

TEST(PartitionKeys, OfTheirOwnAbove32MiB) {
  FilterParameters parameters{.kind = FilterKind::blocked};
  parameters.geometry.bit_count = 32ULL * 1024 * 1024 * 8;
  EXPECT_EQ(partitions_for(parameters, std::nullopt, "f"), 1U);
  parameters.geometry.bit_count += 512;
  EXPECT_EQ(partitions_for(parameters, std::nullopt, "f"), 2U);
  EXPECT_EQ(partitions_for(parameters, 1, "f"), 1U);
  EXPECT_EQ(partitions_for(parameters, 48, "f"), 48U);
  parameters.geometry.bit_count = 1ULL << 50;
  EXPECT_EQ(partitions_for(parameters, std::nullopt, "f"), kMostParts);
  parameters.geometry.bit_count = 10 * 512;
  EXPECT_THROW(partitions_for(parameters, 11, "f"), std::invalid_argument);
  parameters.kind = FilterKind::classic;
  EXPECT_THROW(partitions_for(parameters, 2, "f"), std::invalid_argument);
}

using PartitionedPlaceTest = PartitionedTest;

TEST_F(PartitionedPlaceTest, AnswersAsTheFilterThatWasPutThere) {
  for (const double rate : {0.01, 1e-6}) {  // one line a key, and two
    load_keys(0, 2000, {.old = OldFilter::drop}, rate);
    EXPECT_EQ(ask({"DBSIZE"}).number, 1 + kParts);
    const AnyFilter same = filter_of(0, 2000, rate);
    const auto place = open(false);
    EXPECT_EQ(count_of(*place, texts_of(0, 2000), Presence::maybe), 2000U);
    const auto texts = texts_of(2000, 6000);
    const auto answers = answers_to(*place, texts);
    for (std::size_t i = 0; i < texts.size(); ++i) {
      ASSERT_EQ(answers[i], same.may_contain(Key(texts[i])) ? Presence::maybe : Presence::absent);
    }
    EXPECT_EQ(place->presence_of("k7"), Presence::maybe);
    const AnyFilter copy = place->copy();
    EXPECT_TRUE(std::ranges::equal(copy.contents().words.front(), same.contents().words.front()));
    EXPECT_EQ(copy.inserted(), same.inserted());
    EXPECT_EQ(place->head().parameters.geometry, same.geometry());
  }
}

TEST_F(PartitionedPlaceTest, InsertsTellWhatIsNewAndEverybodySeesIt) {
  for (const double rate : {0.01, 1e-6}) {
    load_keys(0, 0, {.old = OldFilter::drop}, rate);
    const auto place = open();
    const auto texts = texts_of(0, 1000);
    const std::vector<Key> keys(texts.begin(), texts.end());
    std::vector<Inserted> outcomes(1000);
    place->insert_many(keys, outcomes);
    EXPECT_GE(std::ranges::count(outcomes, Inserted::added), 985);
    place->insert_many(keys, outcomes);
    EXPECT_EQ(std::ranges::count(outcomes, Inserted::present), 1000);
    EXPECT_EQ(count_of(*open(false), texts, Presence::maybe), 1000U);
    EXPECT_TRUE(std::ranges::equal(place->copy().contents().words.front(),
                                   filter_of(0, 1000, rate).contents().words.front()));
  }
}

TEST_F(PartitionedPlaceTest, ABatchThatIsInsertedIsOneTripWhateverPartsItFallsInto) {
  load_keys(0, 0);
  const auto place = open();
  PlaceHead head = place->head();
  long before = 0;
  const auto trips = [&] {
    const std::string info = ask({"INFO", "stats"}).text;
    const std::string name = "total_reads_processed:";
    const long now = std::stol(info.substr(info.find(name) + name.size()));
    return now - std::exchange(before, now) - 1;
  };
  trips();
  insert_texts(*place, texts_of(0, 40));
  EXPECT_EQ(trips(), 1);
  const auto texts = texts_of(40, 80);
  const std::vector<Key> keys(texts.begin(), texts.end());
  const Watermark next{{.high = 1, .low = 2}, 7};
  EXPECT_TRUE(place->insert_and_advance(keys, head, next));
  EXPECT_EQ(trips(), 1);
  EXPECT_EQ(head.watermark, next);
  const Fence fence{next};
  EXPECT_EQ(count_of(*place, texts, Presence::maybe, {.fence = &fence}), 40U);
  EXPECT_EQ(place->presence_of("stranger", {.fence = &fence}), Presence::absent);
  // A part that is gone is told, the others have their keys, and nothing is left of what was set.
  ask({"DEL", part(1), part(2)});
  EXPECT_THROW(insert_texts(*place, texts_of(80, 120)), StoreError);
  EXPECT_EQ(ask({"EXISTS", part(1), part(2)}).number, 0);
}

TEST_F(PartitionedPlaceTest, SaysNothingOfAPartThatIsGone) {
  load_keys(0, 1000);
  const auto place = open();
  const auto texts = texts_of(0, 4000);
  const auto before = answers_to(*place, texts);
  ask({"DEL", part(1)});
  const auto after = answers_to(*place, texts);
  std::size_t unknown = 0;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (after[i] == Presence::unknown) {
      ++unknown;
    } else {
      ASSERT_EQ(after[i], before[i]) << "other parts are unharmed";
    }
  }
  EXPECT_NEAR(static_cast<double>(unknown), 1000, 150) << "a fourth";
  EXPECT_FALSE(place->head().watermark) << "who writes makes it anew";
  EXPECT_THROW(place->copy(), StoreError);
  EXPECT_THROW(insert_texts(*place, texts), StoreError);
  EXPECT_EQ(ask({"EXISTS", part(1)}).number, 0) << "and no insert begins it anew";

  // A string with another partition's bytes, or another filter's, is no partition either.
  const std::size_t absent = count_of(*place, texts, Presence::absent);
  ask({"COPY", part(2), part(1)});
  EXPECT_EQ(count_of(*place, texts, Presence::absent), absent);
}

TEST_F(PartitionedPlaceTest, WithTwoLinesAKeyTheLineThatIsLeftIsEnough) {
  load_keys(0, 2000, {}, 1e-6);
  const auto place = open(false);
  ask({"DEL", part(3)});
  EXPECT_EQ(count_of(*place, texts_of(0, 2000), Presence::absent), 0U);
  // A fourth of the second lines is gone; the first of most strangers has a clear bit.
  EXPECT_GT(count_of(*place, texts_of(10'000, 12'000), Presence::absent), 1950U);
}

// Anybody may put another filter there then, of other partitions, and these are nobody's.
TEST_F(PartitionedPlaceTest, WithoutItsIndexItDeniesNothingAndTakesNothing) {
  const auto texts = texts_of(0, 2000);
  for (const char* const partitions : {"partitions=1", "partitions=6"}) {
    ask({"FLUSHALL"});
    load_keys(0, 1000);
    const auto place = open();
    PlaceHead head = place->head();
    const Watermark next{{.high = 1, .low = 2}, 7};
    const auto expect_lost = [&] {
      EXPECT_EQ(count_of(*place, texts, Presence::absent), 0U);
      EXPECT_GE(count_of(*place, texts, Presence::maybe), 1000U) << "what is in may be told";
      EXPECT_EQ(place->presence_of("stranger"), Presence::unknown);
      EXPECT_THROW(insert_texts(*place, texts_of(3000, 3001)), StoreError);
      EXPECT_THROW(insert_texts(*place, texts_of(3000, 4000)), StoreError);
      EXPECT_THROW(place->insert_and_advance({}, head, next), StoreError);
      EXPECT_FALSE(place->head().watermark) << "who follows makes it anew";
      EXPECT_THROW(place->copy(), StoreError);
    };
    ask({"DEL", "f"});
    expect_lost();
    Client other(parse_location(at(partitions)));
    load_native(other, filter_of(5000, 5100).contents(), {});
    expect_lost();
    EXPECT_EQ(count_of(*open(), texts_of(5000, 5100), Presence::maybe), 100U);
  }
}

// All partitions are asked, but not each for as long as a call may take.
TEST_F(PartitionedPlaceTest, OpeningTakesNoLongerThanACallWhereNobodyAnswers) {
  load_keys(0, 10);
  shared_->server.send(SIGSTOP);
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_THROW(open_native_place(at("partitions=4&timeout=1000"), false), ConnectionError);
  const auto took = std::chrono::steady_clock::now() - begin;
  shared_->server.send(SIGCONT);
  EXPECT_LT(took, std::chrono::milliseconds(4'000)) << "five calls take 5,000";
}

}  // namespace
}  // namespace bloomery::redis
