// SPDX-License-Identifier: Apache-2.0
// A filter that was exchanged under those who have it open.

#include "bloomery/open/adopting_place.h"

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "bloomery/filter/filter_kinds.h"
#include "bloomery/open/open_place.h"
#include "bloomery/place/fence_source.h"
#include "bloomery/place/fenced_place.h"
#include "bloomery/place/memory_place.h"
#include "bloomery/redis/client/client.h"
#include "tests/store/scratch_folder.h"
#include "tests/support/redis_server.h"

namespace bloomery {
namespace {

using testing::RedisServer;

const Identity kSource{3, 3};

AnyFilter filter_of(std::uint64_t capacity, const std::vector<std::string>& keys = {}) {
  AnyFilter filter =
      make_filter(FilterKind::blocked, {.capacity = capacity, .false_positive_rate = 0.0001});
  for (const std::string& key : keys) filter.insert(Key(key));
  return filter;
}

Presence behind(FilterPlace& place, Key key, std::uint64_t position) {
  const Fence fence{{kSource, position}};
  return place.presence_of(key, {.fence = &fence});
}

// Nobody looks more often than every 20 ms.
Presence behind_in_the_end(FilterPlace& place, Key key, std::uint64_t position) {
  for (int i = 0; i < 100; ++i) {
    const Presence presence = behind(place, key, position);
    if (presence != Presence::unknown) return presence;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return Presence::unknown;
}

void reach(FilterPlace& place, std::uint64_t position, const std::vector<Key>& keys = {}) {
  PlaceHead head = place.head();
  ASSERT_TRUE(place.insert_and_advance(keys, head, {kSource, position}));
}

// Two filters, of which the second is there when somebody opens once more.
struct Exchange {
  static std::unique_ptr<FilterPlace> ready(std::shared_ptr<AnyFilter> filter) {
    auto place = std::make_unique<MemoryPlace<AnyFilter>>(std::move(filter));
    place->ready();
    return place;
  }

  std::shared_ptr<AnyFilter> old = std::make_shared<AnyFilter>(filter_of(100, {"old"}));
  std::shared_ptr<AnyFilter> next = std::make_shared<AnyFilter>(filter_of(10'000, {"new"}));
  std::atomic<std::uint64_t> reached = 0;
  std::atomic<int> opened = 0;
  AdoptingPlace place{ready(old),
                      [this] {
                        ++opened;
                        auto there = ready(next);
                        if (reached != 0) reach(*there, reached);
                        return there;
                      },
                      false};
};

TEST(AdoptingPlace, GoesOnWithAnotherFilterOnceItsWatermarkHasComeToTheFence) {
  Exchange exchange;
  EXPECT_EQ(behind(exchange.place, "out", 5), Presence::unknown) << "none is there that is so far";
  exchange.reached = 4;
  EXPECT_EQ(behind(exchange.place, "out", 5), Presence::unknown);
  exchange.reached = 5;
  EXPECT_EQ(behind_in_the_end(exchange.place, "out", 5), Presence::absent);
  EXPECT_EQ(behind(exchange.place, "new", 5), Presence::maybe);
  EXPECT_EQ(exchange.place.presence_of("old"), Presence::absent);
  EXPECT_EQ(exchange.place.presence_of("new"), Presence::maybe);
}

// The new filter was filled in a history that its database has lost. Nobody knew of it when the
// fence was asked.
TEST(AdoptingPlace, WhatItGoesOnWithIsComparedWithTheDatabaseBeforeItDenies) {
  for (const int budget : {0, 1'000}) {
    Exchange exchange;
    std::uint64_t end = 5;
    FencedPlace fenced(exchange.place,
                       [&](const CallContext&) {
                         return Fence{{kSource, end}};
                       },
                       {.budget = std::chrono::milliseconds(budget)});
    exchange.reached = 100;
    EXPECT_THROW(fenced.presence_of("out"), SourceChanged);
    EXPECT_EQ(exchange.opened, 1);
    if (budget != 0) continue;  // the fence of before serves for a while
    end = 100;
    EXPECT_THROW(fenced.presence_of("out"), SourceChanged) << "it is the filter that it was";
  }
}

// A question that the old filter does not answer finds the filter that a follower has built again.
TEST(AdoptingPlace, WhatTookThePlaceOfAFilterThatWasAheadIsBelieved) {
  Exchange exchange;
  exchange.reached = 100;
  std::uint64_t end = 5;
  FencedPlace fenced(exchange.place,
                     [&](const CallContext&) {
                       return Fence{{kSource, end}};
                     },
                     {.longest_wait = std::chrono::milliseconds(0)});
  EXPECT_THROW(fenced.presence_of("out"), SourceChanged);
  exchange.reached = 120;
  end = 120;
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (fenced.presence_of("out") != Presence::absent) {
    ASSERT_LT(std::chrono::steady_clock::now(), until);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

TEST(AdoptingPlace, WithoutAFenceNothingIsLookedFor) {
  Exchange exchange;
  exchange.reached = 5;
  EXPECT_EQ(exchange.place.presence_of("old"), Presence::maybe);
  EXPECT_EQ(exchange.opened, 0);
}

TEST(AdoptingPlace, SomeTimesASecondIsOftenEnough) {
  Exchange exchange;
  for (int i = 0; i < 1'000; ++i) behind(exchange.place, "out", 5);
  EXPECT_LT(exchange.opened, 500);
}

// A key that is inserted during a rebuild goes into both filters of the place in which it was
// begun.
TEST(AdoptingPlace, StaysWithItsFilterWhileThatIsRebuilt) {
  Exchange exchange;
  exchange.reached = 5;
  {
    const auto rebuild = exchange.place.begin_rebuild({.capacity = 1'000});
    for (int i = 0; i < 10; ++i) {
      EXPECT_EQ(behind(exchange.place, "out", 5), Presence::unknown);
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    exchange.place.insert("both");
    rebuild->commit();
  }
  EXPECT_EQ(exchange.place.presence_of("both"), Presence::maybe);
  EXPECT_EQ(exchange.opened, 0);
  EXPECT_EQ(behind_in_the_end(exchange.place, "out", 5), Presence::absent);
}

TEST(AdoptingPlace, ARebuildBeginsWithAWatermark) {
  Exchange exchange;
  const auto rebuild = exchange.place.begin_rebuild({.capacity = 1'000});
  const std::vector<Key> rows{"row"};
  rebuild->insert_many(rows);
  rebuild->commit_at({kSource, 7});
  EXPECT_EQ(exchange.place.head().watermark, (Watermark{kSource, 7}));
  EXPECT_EQ(behind(exchange.place, "row", 7), Presence::maybe);
  EXPECT_EQ(behind(exchange.place, "out", 7), Presence::absent);
}

TEST(AdoptingPlace, AFileThatIsPutInItsStead) {
  const testing::ScratchFolder folder;
  const std::string path = (folder / "users.bloom").string();
  save(filter_of(100, {"old"}), std::filesystem::path(path));
  const auto place = open_place(path);
  EXPECT_EQ(behind(*place, "new", 5), Presence::unknown);
  save(filter_of(100'000, {"new"}), std::filesystem::path(path),
       {.notes = {.watermark = 5, .source = kSource}});
  EXPECT_EQ(behind_in_the_end(*place, "new", 5), Presence::maybe);
  EXPECT_EQ(behind(*place, "out", 5), Presence::absent);
  EXPECT_EQ(behind(*place, "out", 6), Presence::unknown);
}

TEST(AdoptingPlace, ABitmapInAServerThatWasRebuiltInAnotherSize) {
  if (!RedisServer::is_installed()) GTEST_SKIP() << "no redis-server here";
  const testing::ScratchFolder folder;
  const RedisServer server(folder.path().string());
  const std::string location = "bitmap:redis+unix://" + server.socket() + "#f";
  const PlaceLocation parsed = parse_place_location(location);
  save(filter_of(100, {"old"}).contents(), parsed, {});
  const auto reader = open_place(parsed);
  const auto writer = open_place(parsed, {.access = PlaceOptions::read_write});
  reach(*writer, 5);
  ASSERT_EQ(behind(*reader, "out", 5), Presence::absent);

  save(filter_of(10'000, {"new"}).contents(), parsed, {.file = {.replace = true}, .discard = true});
  EXPECT_EQ(reader->presence_of("out"), Presence::unknown);
  EXPECT_EQ(behind(*reader, "out", 6), Presence::unknown) << "it has no watermark yet";
  const auto follower = open_place(parsed, {.access = PlaceOptions::read_write});
  reach(*follower, 6, {"row 6"});
  EXPECT_EQ(behind_in_the_end(*reader, "out", 6), Presence::absent);
  EXPECT_EQ(behind(*reader, "row 6", 6), Presence::maybe);
  EXPECT_EQ(reader->presence_of("out"), Presence::absent) << "and from here on without a fence";
}

}  // namespace
}  // namespace bloomery
