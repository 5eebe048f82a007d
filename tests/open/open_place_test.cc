// SPDX-License-Identifier: Apache-2.0
#include "bloomery/open/open_place.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "bloomery/errors.h"
#include "bloomery/filter/filter_kinds.h"
#include "bloomery/store/file_location.h"
#include "tests/store/scratch_folder.h"

namespace bloomery {
namespace {

using testing::ScratchFolder;

const PlaceOptions kWrite{.access = PlaceOptions::read_write};

class OpenPlace : public ::testing::Test {
 protected:
  // A file with the key "in".
  std::string file(FilterKind kind, const std::string& name = "f") {
    AnyFilter filter = make_filter(kind, {.capacity = 1'000, .false_positive_rate = 1e-5});
    filter.insert("in");
    const std::string path = (folder_ / name).string();
    save(filter, path);
    return path;
  }

  ScratchFolder folder_;
};

TEST_F(OpenPlace, AnswersForEveryKindThatKeepsItsKeys) {
  for (const FilterKind kind : {FilterKind::classic, FilterKind::blocked, FilterKind::scalable}) {
    const auto place = open_place(file(kind));
    const std::array<Key, 3> keys{"in", "out", "in"};
    std::array<Presence, 3> answers{};
    place->presence_of_many(keys, answers);
    EXPECT_EQ(answers, (std::array{Presence::maybe, Presence::absent, Presence::maybe}));
    EXPECT_EQ(place->presence_of("out"), Presence::absent);
    EXPECT_EQ(place->head().parameters.kind, kind);
    EXPECT_EQ(place->head().inserted, 1U);
  }
}

TEST_F(OpenPlace, BehindAFenceAFileSaysNothingIsAbsent) {
  const auto place = open_place(file(FilterKind::blocked));
  const Fence fence{{{.high = 1, .low = 1}, 1}};
  EXPECT_EQ(place->presence_of("out", {.fence = &fence}), Presence::unknown);
  EXPECT_EQ(place->presence_of("in", {.fence = &fence}), Presence::maybe);
}

TEST_F(OpenPlace, AFileOfOursMovesItsWatermarkWithItsKeys) {
  const std::string path = file(FilterKind::scalable);
  const Watermark at{{.high = 1, .low = 1}, 7};
  const Fence fence{at};
  {
    const auto place = open_place(path, kWrite);
    PlaceHead head = place->head();
    const PlaceHead old = head;
    const std::array<Key, 1> keys{"row 7"};
    ASSERT_TRUE(place->insert_and_advance(keys, head, at));
    EXPECT_EQ(head.watermark, at);
    EXPECT_FALSE(place->advance(old, {at.source, 8})) << "somebody was here since";
    EXPECT_EQ(place->presence_of("out", {.fence = &fence}), Presence::absent);
    place->flush({});
  }
  const auto place = open_place(path);
  EXPECT_EQ(place->head().watermark, at);
  EXPECT_TRUE(place->head().identity.is_set());
  EXPECT_EQ(place->presence_of("row 7", {.fence = &fence}), Presence::maybe);
  EXPECT_EQ(place->presence_of("out", {.fence = &fence}), Presence::absent);
  const Fence later{{at.source, 8}};
  EXPECT_EQ(place->presence_of("out", {.fence = &later}), Presence::unknown);
}

TEST_F(OpenPlace, TakesNoKindThatForgetsUnlessTold) {
  for (const FilterKind kind :
       {FilterKind::windowed, FilterKind::counting, FilterKind::classic_counting}) {
    const std::string path = file(kind);
    EXPECT_THROW(open_place(path), std::invalid_argument) << kind_name(kind);
    EXPECT_THROW(open_place(path, kWrite), std::invalid_argument) << kind_name(kind);
    EXPECT_EQ(open_place(path, {.allow_forgetting = true})->presence_of("in"), Presence::maybe);
  }
}

TEST_F(OpenPlace, WhatIsInsertedIsInTheFileAfterAFlush) {
  for (const FilterKind kind : {FilterKind::classic, FilterKind::blocked, FilterKind::scalable}) {
    const std::string path = file(kind);
    {
      const auto place = open_place(path, kWrite);
      std::vector<std::string> texts;
      for (int i = 0; i < 600; ++i) texts.push_back(std::to_string(i));
      std::vector<Key> keys(texts.begin(), texts.end());
      keys.push_back("in");
      std::vector<Inserted> outcomes(keys.size());
      place->insert_many(keys, outcomes);
      EXPECT_EQ(outcomes.front(), Inserted::added);
      EXPECT_EQ(outcomes.back(), Inserted::present);
      EXPECT_EQ(place->presence_of("599"), Presence::maybe);
      place->flush({});
    }
    const auto again = open_place(path);
    EXPECT_EQ(again->presence_of("599"), Presence::maybe);
    EXPECT_EQ(again->presence_of("in"), Presence::maybe);
  }
}

TEST_F(OpenPlace, ACopyHasWhatIsNotFlushedYet) {
  const auto add_to = [](const std::string& location) {
    const auto place =
        open_place(location, {.access = PlaceOptions::read_write, .allow_forgetting = true});
    place->insert("new");
    const AnyFilter copy = place->copy();
    EXPECT_TRUE(copy.may_contain("in") && copy.may_contain("new")) << location;
    EXPECT_FALSE(copy.may_contain("out")) << location;
    EXPECT_EQ(copy.inserted(), 2U) << location;
  };
  for (const FilterKind kind :
       {FilterKind::classic, FilterKind::blocked, FilterKind::counting,
        FilterKind::classic_counting, FilterKind::scalable, FilterKind::windowed}) {
    add_to(file(kind));
  }
  const std::string path = (folder_ / "g").string();
  AnyFilter guava = find_format("guava")->create({.capacity = 1'000}, {});
  guava.insert("in");
  save(guava.contents(), parse_file_location("guava:" + path));
  add_to("guava:" + path);
}

TEST_F(OpenPlace, ACopyIsOfTheFileThatAnswersWhateverHasItsName) {
  for (const bool load_files : {false, true}) {
    const auto place = open_place(file(FilterKind::blocked), {.load_files = load_files});
    AnyFilter other = make_filter(FilterKind::blocked, {.capacity = 1'000});
    other.insert("other");
    save(other, folder_ / "f");
    const AnyFilter copy = place->copy();
    EXPECT_TRUE(copy.may_contain("in"));
    EXPECT_FALSE(copy.may_contain("other"));
  }
}

TEST_F(OpenPlace, BehindAFenceThatItHasNotReachedAFileIsNotCopied) {
  const Fence fence{{{.high = 1, .low = 1}, 1}};
  const std::string path = file(FilterKind::blocked);
  EXPECT_THROW(open_place(path)->copy({.fence = &fence}), std::invalid_argument);
  EXPECT_THROW(open_place(path, {.load_files = true})->copy({.fence = &fence}),
               std::invalid_argument);
}

TEST_F(OpenPlace, RefusesByNameWhatItCannotDo) {
  const std::string path = file(FilterKind::blocked);
  const auto place = open_place(path);
  const auto expect_refused = [&](auto call) {
    try {
      call();
      FAIL() << "not refused";
    } catch (const std::invalid_argument& error) {
      EXPECT_TRUE(std::string(error.what()).starts_with(path + ": ")) << error.what();
    }
  };
  expect_refused([&] { place->insert("x"); });
  expect_refused([&] { place->begin_rebuild({.capacity = 1}); });
  expect_refused([&] { place->advance(place->head(), {}); });
  expect_refused([&] { place->destroy(); });
}

TEST_F(OpenPlace, OnlyOneMayWriteAtATime) {
  for (const FilterKind kind : {FilterKind::blocked, FilterKind::scalable}) {
    const std::string path = file(kind);
    const auto writer = open_place(path, kWrite);
    EXPECT_THROW(open_place(path, kWrite), StoreError);
  }
}

TEST_F(OpenPlace, OpensOtherSystemsFiles) {
  const std::string location = "guava:" + (folder_ / "users.bin").string();
  const Format& format = *find_format("guava");
  AnyFilter filter = format.create({.capacity = 100, .false_positive_rate = 1e-4}, {});
  filter.insert("in");
  save(filter.contents(), parse_file_location(location));
  {
    const auto place = open_place(location, kWrite);
    EXPECT_EQ(place->name(), location);
    place->insert("new");
    place->flush({});
  }
  const auto place = open_place(location);
  EXPECT_EQ(place->presence_of("in"), Presence::maybe);
  EXPECT_EQ(place->presence_of("new"), Presence::maybe);
  EXPECT_EQ(place->presence_of("out"), Presence::absent);
  EXPECT_THROW(place->insert("x"), std::invalid_argument);
}

TEST_F(OpenPlace, ALocationThatIsNoneSaysWhatThereIs) {
  EXPECT_THROW(open_place("guava"), StoreError) << "a file that is not there";
  EXPECT_THROW(open_place("nothing:f"), std::invalid_argument);
}

TEST_F(OpenPlace, AFilterInAServerIsNamedByItsFormatAndItsServer) {
  const auto refusal = [](const std::string& location) -> std::string {
    try {
      open_place(location);
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "not refused";
  };
  EXPECT_NE(refusal("redis://127.0.0.1#f").find("FORMAT:redis://"), std::string::npos);
  EXPECT_NE(refusal("guava:redis://127.0.0.1#f").find("redisson"), std::string::npos);
  EXPECT_NE(refusal("nothing:redis://127.0.0.1#f").find("redisson"), std::string::npos);
  EXPECT_NE(refusal("gozero:redis://127.0.0.1#f").find("bits"), std::string::npos);
  EXPECT_NE(refusal("redisson:redis+sentinel://a,b#f").find("sentinel"), std::string::npos);
  // Nobody listens there; a filter that needs no configuration is opened all the same.
  EXPECT_THROW(open_place("redisson:redis+unix:///nowhere.sock#f"), StoreError);
  EXPECT_EQ(open_place("gozero:redis+unix:///nowhere.sock?bits=8#f")->name(),
            "gozero:redis+unix:///nowhere.sock#f");
}

}  // namespace
}  // namespace bloomery
