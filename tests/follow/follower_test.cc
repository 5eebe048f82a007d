// SPDX-License-Identifier: Apache-2.0
#include "bloomery/follow/follower.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bloomery/errors.h"
#include "bloomery/follow/followed_place.h"
#include "bloomery/open/open_place.h"
#include "bloomery/place/memory_place.h"
#include "tests/follow/follower_fixture.h"

namespace bloomery {
namespace {

TEST_F(FollowerTest, KeepsAFilterInMemoryInStep) {
  insert("before ", 100);
  MemoryPlace<> place(blocked({.capacity = 1000}));
  const auto from = source();
  Follower follower(*from, place, {});
  Following running(follower);
  running.wait_until_followed();
  insert("after ", 100);
  const Watermark now = fence();
  running.wait_for(now);
  expect_in(place, "before ", 100, now);
  expect_in(place, "after ", 100, now);
  EXPECT_EQ(follower.status().rebuilds, 1U);
}

TEST_F(FollowerTest, MakesAFileAndGoesOnWhereItWas) {
  const std::string file = folder_.path("users.bloom");
  insert("before ", 100);
  for (const std::string name : {"first ", "second "}) {
    FollowedPlace place(parse_place_location(file), blocked);
    const auto from = source();
    Follower follower(*from, place, {});
    {
      Following running(follower);
      running.wait_until_followed();
      insert(name, 50);
      running.wait_for(fence());
    }
    EXPECT_EQ(follower.status().rebuilds, name == "first " ? 1U : 0U);
    EXPECT_EQ(follower.status().resumed, name == "first " ? 0U : 1U);
  }
  const auto reader = open_place(file);
  expect_in(*reader, "before ", 100, fence());
  expect_in(*reader, "first ", 50, fence());
  expect_in(*reader, "second ", 50, fence());
}

// Cut by a full disk, say, or by who copied it; its head says what it was.
TEST_F(FollowerTest, MakesADamagedFileAnewAndLeavesWhatIsNoneAlone) {
  const std::string file = folder_.path("users.bloom");
  insert("row ", 100);
  const auto follow = [&] {
    FollowedPlace place(parse_place_location(file), blocked);
    const auto from = source();
    Follower(*from, place, {}).run_once({}, *open_fence(location()));
  };
  follow();
  const auto whole = std::filesystem::file_size(file);
  for (const std::uintmax_t size : {whole - 1, std::uintmax_t{4'200}}) {  // the head has 4,096
    std::filesystem::resize_file(file, size);
    EXPECT_FALSE(head_to_follow(parse_place_location(file)));
    follow();
    EXPECT_EQ(std::filesystem::file_size(file), whole);
    expect_in(*open_place(file), "row ", 100, fence());
  }
  {
    std::fstream bytes(file, std::ios::in | std::ios::out);
    bytes.seekp(static_cast<std::streamoff>(whole) - 100);
    bytes << "something else";
  }
  follow();
  expect_in(*open_place(file), "row ", 100, fence());

  std::filesystem::resize_file(file, 20);
  EXPECT_THROW(head_to_follow(parse_place_location(file)), FormatError);
  EXPECT_THROW(follow(), FormatError);
  std::ofstream(file) << "a letter";
  EXPECT_THROW(follow(), FormatError);
  EXPECT_EQ(std::filesystem::file_size(file), 8U);
}

// The other file comes while the table is read.
TEST_F(FollowerTest, LeavesAFileAloneThatComesWhereItsOwnIsToBe) {
  for (const std::string format : {"", "guava:"}) {
    const std::string file = folder_.path("users.filter");
    const auto make = [&](const FilterOptions& options) {
      if (format.empty()) return blocked(options);
      return find_format("guava")->create(options, {});
    };
    auto place = std::make_unique<FollowedPlace>(parse_place_location(format + file), make);
    auto rebuild = place->begin_rebuild({.capacity = 1000});
    std::ofstream(file) << "a letter";
    try {
      rebuild->commit({});
      ADD_FAILURE() << "it was replaced";
    } catch (const FormatError& error) {
      EXPECT_NE(std::string(error.what()).find("is left alone"), std::string::npos) << error.what();
    }
    EXPECT_EQ(std::filesystem::file_size(file), 8U);
    std::filesystem::remove(file);
    rebuild->commit({});
    EXPECT_EQ(place->presence_of("a key"), Presence::absent);
    rebuild.reset();
    place.reset();  // which has its lock
    // A filter is what would have been gone on with.
    FollowedPlace(parse_place_location(format + file), make)
        .begin_rebuild({.capacity = 1000})
        ->commit({});
    std::filesystem::remove(file);
  }
}

TEST_F(FollowerTest, WritesWhatCouldNotBeWrittenOnce) {
  const std::string folder = folder_.path("filters");
  const std::string away = folder_.path("away");
  std::filesystem::create_directory(folder);
  FollowedPlace place(parse_place_location(folder + "/users.bloom"), blocked);
  const auto from = source();
  Follower follower(*from, place, {.flush_every = std::chrono::milliseconds(1)});
  Following running(follower);
  running.wait_until_followed();
  std::filesystem::rename(folder, away);
  insert("late ", 1);
  running.wait_until([](const FollowerStatus& now) { return now.failures > 0; });
  std::filesystem::rename(away, folder);
  const Watermark all = fence();
  running.wait_until([&](const FollowerStatus&) {
    const auto kept = inspect(folder + "/users.bloom").notes.reached();
    return kept && kept->reaches(all);
  });
  expect_in(*open_place(folder + "/users.bloom"), "late ", 1, all);
}

TEST_F(FollowerTest, LoadsOnceAndEnds) {
  const std::string file = folder_.path("users.bloom");
  insert("row ", 100);
  for (int i = 0; i < 2; ++i) {
    FollowedPlace place(parse_place_location(file), blocked);
    const auto from = source();
    const auto fence = open_fence(location());
    Follower(*from, place, {}).run_once({}, *fence);
    insert("later " + std::to_string(i) + " ", 10);
  }
  EXPECT_EQ(inspect(file).notes.reached()->source, fence().source);
  EXPECT_FALSE(inspect(file).notes.reached()->reaches(fence()));
  const auto reader = open_place(file);
  expect_in(*reader, "later 0 ", 10, *reader->head().watermark);
}

// The first scan there is, is also what was asked for.
TEST_F(FollowerTest, OnceBuildsAgainWhereThatIsAskedForAndEnds) {
  const std::string file = folder_.path("users.bloom");
  insert("row ", 100);
  const auto fence = open_fence(location());
  Identity made;
  for (const std::uint64_t resumed : {0U, 1U}) {
    FollowedPlace place(parse_place_location(file), blocked);
    const auto from = source();
    Follower follower(*from, place, {});
    follower.rebuild();
    follower.run_once({}, *fence);
    EXPECT_EQ(follower.status().rebuilds, 1U);
    EXPECT_EQ(follower.status().resumed, resumed);
    EXPECT_NE(std::exchange(made, place.head().identity), place.head().identity);
    insert("later ", 10);
    writer_.run("DELETE FROM users WHERE id LIKE 'later %'");
  }
  expect_in(*open_place(file), "row ", 100, *open_place(file)->head().watermark);
}

TEST_F(FollowerTest, OnceThatIsStoppedSaysThatItHasNotAll) {
  MemoryPlace<> place(blocked({.capacity = 1000}));
  const auto from = source();
  std::stop_source stop;
  stop.request_stop();
  const auto fence = open_fence(location());
  EXPECT_THROW(Follower(*from, place, {}).run_once(stop.get_token(), *fence), CallAborted);
}

TEST_F(FollowerTest, SaysThatTheLastChangesCouldNotBeWritten) {
  const std::string folder = folder_.path("filters");
  std::filesystem::create_directory(folder);
  FollowedPlace place(parse_place_location(folder + "/users.bloom"), blocked);
  const auto from = source();
  Follower follower(*from, place, {.flush_every = std::chrono::milliseconds(1)});
  bool has_thrown = false;
  {
    std::jthread thread([&](std::stop_token stop) {
      try {
        follower.run(stop);
      } catch (const StoreError&) {
        has_thrown = true;
      }
    });
    while (!follower.status().fresh_as_of) std::this_thread::yield();
    std::filesystem::rename(folder, folder_.path("away"));
    insert("late ", 1);
    while (follower.status().failures == 0) std::this_thread::yield();
  }
  EXPECT_TRUE(has_thrown);
}

TEST_F(FollowerTest, TakesAFileThatIsPutInThePlaceOfItsOwn) {
  const std::string file = folder_.path("users.bloom");
  insert("first ", 100);
  FollowedPlace place(parse_place_location(file), blocked);
  const auto from = source();
  Follower follower(*from, place, {.flush_every = std::chrono::milliseconds(1)});
  Following running(follower);
  running.wait_until_followed();
  const auto expect_written = [&](const std::string& prefix) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    const auto is_written = [&] {
      return std::filesystem::exists(file) && inspect(file).notes.reached() &&
             inspect(file).notes.reached()->reaches(fence());
    };
    while (!is_written()) {
      ASSERT_LT(std::chrono::steady_clock::now(), until)
          << prefix << state_name(follower.status().state) << ": " << follower.status().last_error;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    expect_in(*open_place(file), prefix, 100, fence());
  };
  expect_written("first ");
  std::filesystem::copy_file(file, file + ".old");
  insert("second ", 100);
  expect_written("second ");
  std::filesystem::rename(file + ".old", file);
  insert("third ", 100);
  expect_written("third ");
  expect_in(*open_place(file), "second ", 100, fence());
  std::filesystem::remove(file);
  insert("fourth ", 100);
  expect_written("fourth ");
}

TEST_F(FollowerTest, OutgrowsASmallTable) {
  insert("first ", 1);
  MemoryPlace<> place(blocked({.capacity = 1000}));
  const auto from = source();
  Follower follower(*from, place, {});
  Following running(follower);
  running.wait_until_followed();
  insert("many ", 5000);
  running.wait_until([](const FollowerStatus& now) { return now.capacity >= 5000; });
  expect_in(place, "many ", 5000, fence());
}

TEST_F(FollowerTest, BuildsAgainWhatIsTooFullOrAskedFor) {
  insert("before ", 100);
  MemoryPlace<> place(blocked({.capacity = 1000}));
  const auto from = source();
  Follower follower(*from, place, {});
  Following running(follower);
  running.wait_until_followed();
  EXPECT_EQ(follower.status().capacity, 1000U);
  EXPECT_EQ(follower.status().geometry, place.head().parameters.geometry);
  insert("many ", 5000);
  follower.rebuild();
  running.wait_until([](const FollowerStatus& now) { return now.rebuilds >= 2; });
  const Watermark now = fence();
  running.wait_for(now);
  expect_in(place, "before ", 100, now);
  expect_in(place, "many ", 5000, now);
  EXPECT_GE(follower.status().capacity, 7000U);
  EXPECT_EQ(follower.status().geometry, place.head().parameters.geometry);
  // Most rows are deleted then.
  writer_.run("DELETE FROM users WHERE id LIKE 'many%'");
  running.wait_until([](const FollowerStatus& status) { return status.rebuilds >= 3; });
  const Watermark after = fence();
  running.wait_for(after);
  const auto answers = ask(place, "many ", 5000, after);
  EXPECT_GT(std::ranges::count(answers, Presence::absent), 4500);
  expect_in(place, "before ", 100, after);
}

// Forgets what it is told to, but for the first time.
struct ForgetfulCache final : EntryEraser {
  void erase_many(std::span<const Key> keys, const CallContext&) override {
    const std::lock_guard lock(mutex);
    if (calls++ == 0) throw StoreError("the cache is away");
    erased.insert(erased.end(), keys.begin(), keys.end());
  }
  std::mutex mutex;
  int calls = 0;
  std::vector<std::string> erased;
};

TEST_F(FollowerTest, ErasesWhatACacheKnowsOfAKeyBeforeTheWatermarkMoves) {
  MemoryPlace<> place(blocked({.capacity = 1000}));
  const auto from = source();
  ForgetfulCache cache;
  Follower follower(*from, place, {.entries = &cache});
  Following running(follower);
  running.wait_until_followed();
  insert("row ", 3);
  running.wait_for(fence());
  EXPECT_EQ(follower.status().failures, 1U);
  const std::lock_guard lock(cache.mutex);
  EXPECT_EQ(cache.erased, (std::vector<std::string>{"row 0", "row 1", "row 2"}));
}

TEST_F(FollowerTest, ErasesWhatACacheKnowsOfRowsThatChangeOrGo) {
  insert("row ", 3);
  MemoryPlace<> place(blocked({.capacity = 1000}));
  ChangeOptions options;
  options.tells_touched = true;
  const auto from = open_change_source(location(), options);
  ForgetfulCache cache;
  cache.calls = 1;
  const auto erased = [&] {
    const std::lock_guard lock(cache.mutex);
    return std::exchange(cache.erased, {});
  };
  Follower follower(*from, place,
                    {.entries = &cache, .erase_again_after = std::chrono::milliseconds(0)});
  Following running(follower);
  running.wait_until_followed();
  writer_.run(
      "BEGIN; UPDATE users SET id = id WHERE id = 'row 0'; DELETE FROM users WHERE id = 'row 2'; "
      "COMMIT");
  running.wait_for(fence());
  // The entries are erased once more, before the next change that comes.
  insert("new ", 1);
  running.wait_for(fence());
  EXPECT_EQ(erased(), (std::vector<std::string>{"row 0", "row 2", "row 0", "row 2", "new 0"}));
  EXPECT_EQ(follower.status().left_entries, 0U);
}

TEST_F(FollowerTest, RefusesWhatNeverWorks) {
  MemoryPlace<> place(blocked({.capacity = 1000}));
  EXPECT_THROW(open_change_source("sqlite:" + path_ + "?table=nobody&column=id"),
               std::invalid_argument);
  const auto from = source();
  EXPECT_THROW(Follower(*from, place, {.rebuild_at = 0}), std::invalid_argument);
  EXPECT_THROW(Follower(*from, place, {.growth = 0.5}), std::invalid_argument);

  // A filter that cannot be made never works either, however often it is tried.
  FollowedPlace impossible(parse_place_location(folder_.path("ids.bloom")),
                           [](const FilterOptions& options) {
                             if (options.capacity > 5'000) {
                               throw std::invalid_argument("no filter is so large");
                             }
                             return blocked(options);
                           });
  Follower follower(*from, impossible, {.filter = {.capacity = 10'000}});
  EXPECT_THROW(follower.run({}), std::invalid_argument);
}

TEST_F(FollowerTest, AFilterThatCannotGrowIsNotBuiltAgainForBeingFull) {
  insert("first ", 1);
  FollowedPlace place(parse_place_location(folder_.path("ids.bloom")),
                      [](const FilterOptions&) { return blocked({.capacity = 3000}); });
  const auto from = source();
  Follower follower(*from, place, {});
  Following running(follower);
  running.wait_until_followed();
  EXPECT_FALSE(follower.status().cannot_grow);
  insert("many ", 5000);
  running.wait_until([](const FollowerStatus& now) { return now.cannot_grow; });
  for (const char* name : {"a ", "b ", "c "}) {
    insert(name, 1);
    running.wait_for(fence());
  }
  EXPECT_EQ(follower.status().rebuilds, 2U);
  EXPECT_TRUE(is_full_for_good(follower.status()));
  follower.rebuild();
  running.wait_until([](const FollowerStatus& now) { return now.rebuilds == 3; });
}

// A server's string cannot be made larger than 512 MiB either.
TEST_F(FollowerTest, AFilterThatCannotBeMadeLargerStaysAsItIs) {
  insert("first ", 10);
  FollowedPlace place(parse_place_location(folder_.path("ids.bloom")),
                      [](const FilterOptions& options) {
                        if (options.capacity > 5'000) {
                          throw std::invalid_argument("no filter is so large");
                        }
                        return blocked(options);
                      });
  const auto from = source();
  Follower follower(*from, place, {.filter = {.capacity = 4'000}});
  Following running(follower);
  running.wait_until_followed();
  insert("many ", 5'000);
  running.wait_until([](const FollowerStatus& now) { return now.cannot_grow; });
  for (const char* name : {"a ", "b ", "c "}) {
    insert(name, 1);
    running.wait_for(fence());
  }
  EXPECT_EQ(follower.status().rebuilds, 2U);
  EXPECT_EQ(follower.status().failures, 0U) << follower.status().last_error;
  EXPECT_TRUE(is_full_for_good(follower.status()));
}

// The table is exchanged while it is followed.
TEST_F(FollowerTest, ATableMadeAnewIsScannedAgain) {
  insert("old ", 10);
  MemoryPlace<> place(blocked({.capacity = 1000}));
  const auto from = source();
  Follower follower(*from, place, {});
  Following running(follower);
  running.wait_until_followed();
  writer_.run("DROP TABLE users; CREATE TABLE users(id TEXT PRIMARY KEY)");
  insert("new ", 10);
  running.wait_until([](const FollowerStatus& now) { return now.rebuilds >= 2; });
  const Watermark now = fence();
  running.wait_for(now);
  expect_in(place, "new ", 10, now);
}

}  // namespace
}  // namespace bloomery
