#include "bloomery/follow/follower.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "bloomery/errors.h"
#include "bloomery/filter/filter_kinds.h"
#include "bloomery/filter/memory_place.h"
#include "bloomery/follow/followed_place.h"
#include "bloomery/place/open_place.h"
#include "bloomery/redis/errors.h"
#include "bloomery/redis/partition_keys.h"
#include "bloomery/source/open_changes.h"
#include "tests/source/sqlite_fixture.h"
#include "tests/support/redis_server.h"

namespace bloomery {
namespace {

using testing::RedisServer;

AnyFilter blocked(const FilterOptions& options) {
  return make_filter(FilterKind::blocked, options);
}

// A thread that follows until it is stopped.
class Following {
 public:
  explicit Following(Follower& follower)
      : follower_(follower), thread_([this](std::stop_token stop) { follower_.run(stop); }) {}

  void wait_until(const std::function<bool(const FollowerStatus&)>& holds) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (!holds(follower_.status())) {
      ASSERT_LT(std::chrono::steady_clock::now(), until)
          << state_name(follower_.status().state) << ", " << follower_.status().rebuilds
          << " scans, " << follower_.status().failures
          << " failures: " << follower_.status().last_error;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  void wait_until_followed() {
    wait_until([](const FollowerStatus& now) { return now.fresh_as_of.has_value(); });
  }
  void wait_for(const Watermark& fence) {
    wait_until(
        [&](const FollowerStatus& now) { return now.watermark && now.watermark->reaches(fence); });
  }

 private:
  Follower& follower_;
  std::jthread thread_;
};

class FollowerTest : public SqliteTest {
 protected:
  void SetUp() override {
    make("PRAGMA journal_mode = wal; CREATE TABLE users(id TEXT PRIMARY KEY)");
    writer_.run("PRAGMA busy_timeout = 10000; PRAGMA synchronous = OFF");
  }
  std::string location() const { return "sqlite:" + path_ + "?table=users&column=id"; }
  std::unique_ptr<ChangeSource> source(const std::string& slot = "") {
    ChangeOptions options;
    options.slot = slot;
    return open_change_source(location(), options);
  }

  void insert(const std::string& prefix, int count) {
    writer_.run("WITH n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < " +
                std::to_string(count) + ") INSERT INTO users SELECT '" + prefix + "' || i FROM n");
  }
  Watermark fence() { return fence_ ? fence_->ask() : open_fence_and_ask(); }
  Watermark open_fence_and_ask() {
    fence_ = open_fence(location());
    return fence_->ask();
  }

  static std::vector<Presence> ask(FilterPlace& place, const std::string& prefix, int count,
                                   const Watermark& reached) {
    std::vector<std::string> texts;
    for (int i = 0; i < count; ++i) texts.push_back(prefix + std::to_string(i));
    const std::vector<Key> keys(texts.begin(), texts.end());
    std::vector<Presence> answers(keys.size(), Presence::unknown);
    const Fence behind{reached};
    place.presence_of_many(keys, answers, {.fence = &behind});
    return answers;
  }
  // Behind a fence: rows are there, others are absent.
  static void expect_in(FilterPlace& place, const std::string& prefix, int count,
                        const Watermark& reached) {
    const auto answers = ask(place, prefix, count, reached);
    EXPECT_EQ(std::ranges::count(answers, Presence::maybe), count) << prefix;
    const auto others = ask(place, "no such row ", 1000, reached);
    EXPECT_GT(std::ranges::count(others, Presence::absent), 950);
  }

  WritableDatabase writer_{path_};
  std::unique_ptr<FenceSource> fence_;
};

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

// It comes while the table is read.
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

// A database that kept much for a follower that was away, and gives it a row at a time.
struct Backlog final : ChangeSource, FenceSource {
  static constexpr std::uint64_t kRows = 5;

  std::string name() const override { return "backlog"; }
  bool start(const std::optional<Watermark>& from, const CallContext&) override {
    at = from ? from->position : 0;
    return from.has_value();
  }
  SourceTotals scan(const BatchConsumer&, const CallContext&) override { return {}; }
  std::optional<std::uint64_t> expected_count() override { return kRows; }
  void poll(const ChangeConsumer& consumer, std::chrono::milliseconds,
            const CallContext&) override {
    if (at < kRows) ++at;
    const std::string text = "row " + std::to_string(at);
    const Key key(text);
    consumer({.keys = {&key, 1}, .watermark = Watermark{source, at}});
  }
  void confirm(const Watermark&) override {}
  void remove(const CallContext&) override {}
  Watermark ask(const CallContext&) override { return {source, kRows}; }

  const Identity source = Identity::random();
  std::uint64_t at = 0;
};

TEST_F(FollowerTest, OnceEndsWhenAllThatWasThereHasCome) {
  MemoryPlace<> place(blocked({.capacity = 1000}));
  Backlog database;
  place.ready();
  PlaceHead head = place.head();
  ASSERT_TRUE(place.insert_and_advance({}, head, Watermark{database.source, 1}));
  Follower(database, place, {}).run_once({}, database);
  EXPECT_EQ(place.head().watermark->position, Backlog::kRows);
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
  insert("many ", 5000);
  follower.rebuild();
  running.wait_until([](const FollowerStatus& now) { return now.rebuilds >= 2; });
  const Watermark now = fence();
  running.wait_for(now);
  expect_in(place, "before ", 100, now);
  expect_in(place, "many ", 5000, now);
  EXPECT_GE(follower.status().capacity, 7000U);
  // Of which most are deleted then.
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

// A place that another follower moves within a transaction: a step whenever somebody looks.
class ContestedPlace final : public FilterPlace {
 public:
  explicit ContestedPlace(FilterPlace& place) : place_(place) {}

  std::string name() const override { return place_.name(); }
  void presence_of_many(std::span<const Key> keys, std::span<Presence> answers,
                        const CallContext& context) override {
    place_.presence_of_many(keys, answers, context);
  }
  using FilterPlace::insert_many;
  void insert_many(std::span<const Key> keys, std::span<Inserted> outcomes,
                   const CallContext& context) override {
    place_.insert_many(keys, outcomes, context);
  }
  PlaceHead head(const CallContext& context) override {
    if (steps_left > 0) {
      --steps_left;
      const PlaceHead now = place_.head(context);
      place_.advance(now, now.watermark.value(), context);
    }
    return place_.head(context);
  }
  bool insert_and_advance(std::span<const Key> keys, PlaceHead& head, const Watermark& next,
                          const CallContext& context) override {
    return steps_left == 0 && place_.insert_and_advance(keys, head, next, context);
  }
  std::unique_ptr<Rebuild> begin_rebuild(const FilterOptions& options,
                                         const CallContext& context) override {
    return place_.begin_rebuild(options, context);
  }

  std::atomic<int> steps_left = 0;

 private:
  FilterPlace& place_;
};

// Two who begin again at once, whenever they meet, carry no transaction of several steps.
TEST_F(FollowerTest, WhoFindsAnotherWithinATransactionStandsBy) {
  insert("before ", 10);
  MemoryPlace<> memory(blocked({.capacity = 1000}));
  ContestedPlace place(memory);
  const auto from = source();
  Follower follower(*from, place, {.longest_pause = std::chrono::milliseconds(1)});
  Following running(follower);
  running.wait_until_followed();
  place.steps_left = 60;
  insert("after ", 10);
  running.wait_for(fence());
  EXPECT_EQ(place.steps_left, 0);
  EXPECT_EQ(follower.status().failures, 1U);
  expect_in(memory, "after ", 10, fence());
}

// What a database does, batch by batch.
class PlayedSource final : public ChangeSource {
 public:
  std::string name() const override { return "played"; }
  // It keeps all that it ever gave.
  bool start(const std::optional<Watermark>& from, const CallContext&) override {
    next_ = 0;
    return from.has_value();
  }
  SourceTotals scan(const BatchConsumer&, const CallContext&) override { return {}; }
  std::optional<std::uint64_t> expected_count() override { return 0; }
  void poll(const ChangeConsumer& consumer, std::chrono::milliseconds,
            const CallContext&) override {
    const std::size_t now = std::min<std::size_t>(next_++, batches.size() - 1);
    consumer(batches[now]);
  }
  void confirm(const Watermark&) override {}
  void remove(const CallContext&) override {}

  std::vector<Changes> batches{};

 private:
  std::size_t next_ = 0;
};

// A watermark that stands still is said again, also with rows of a transaction that has not ended.
TEST_F(FollowerTest, KeysAreInWhateverWatermarkTheyCameWith) {
  constexpr Identity database{.high = 1, .low = 2};
  const Watermark one{database, 1};
  const Watermark two{database, 2};
  const Key open[] = {"first", "second"};
  PlayedSource from;
  from.batches = {{.keys = {}, .watermark = one},
                  {.keys = std::span(open).first(1), .watermark = one},
                  {.keys = std::span(open).last(1), .watermark = two},
                  {.keys = {}, .watermark = two}};
  MemoryPlace<> place(blocked({.capacity = 1000}));
  Follower follower(from, place, {});
  Following running(follower);
  running.wait_for(two);
  const Fence fence{two};
  for (const Key key : open) {
    EXPECT_EQ(place.presence_of(key, {.fence = &fence}), Presence::maybe);
  }
}

// A filter of which an older copy was put back before its third step, and which another follower
// has brought to the watermark since.
class RestoredPlace final : public FilterPlace {
 public:
  std::string name() const override { return now_->name(); }
  void presence_of_many(std::span<const Key> keys, std::span<Presence> answers,
                        const CallContext& context) override {
    now_->presence_of_many(keys, answers, context);
  }
  using FilterPlace::insert_many;
  void insert_many(std::span<const Key> keys, std::span<Inserted> outcomes,
                   const CallContext& context) override {
    now_->insert_many(keys, outcomes, context);
  }
  PlaceHead head(const CallContext& context) override { return now_->head(context); }
  bool insert_and_advance(std::span<const Key> keys, PlaceHead& head, const Watermark& next,
                          const CallContext& context) override {
    if (++steps_ == 2) {
      now_ = &restored_;
      restored_.begin_rebuild({.capacity = 1000}, {})->commit_at(*head.watermark, {});
      return false;
    }
    return now_->insert_and_advance(keys, head, next, context);
  }
  std::unique_ptr<Rebuild> begin_rebuild(const FilterOptions& options,
                                         const CallContext& context) override {
    return now_->begin_rebuild(options, context);
  }

 private:
  MemoryPlace<> first_{blocked({.capacity = 1000})};
  MemoryPlace<> restored_{blocked({.capacity = 1000})};
  FilterPlace* now_ = &first_;
  int steps_ = 0;
};

// The other has the rows of all transactions that ended, and none of one that is open.
TEST_F(FollowerTest, KeysOfAnOpenTransactionComeAgainWhereTheFilterIsAnOlderOne) {
  constexpr Identity database{.high = 1, .low = 2};
  const Watermark one{database, 1};
  const Watermark two{database, 2};
  const Key open[] = {"first", "second"};
  PlayedSource from;
  from.batches = {{.keys = {}, .watermark = one},
                  {.keys = std::span(open).first(1), .watermark = one, .has_open = true},
                  {.keys = std::span(open).last(1), .watermark = two},
                  {.keys = {}, .watermark = two}};
  RestoredPlace place;
  Follower follower(from, place, {.longest_pause = std::chrono::milliseconds(10)});
  Following running(follower);
  running.wait_for(two);
  const Fence fence{two};
  for (const Key key : open) {
    EXPECT_EQ(place.presence_of(key, {.fence = &fence}), Presence::maybe);
  }
}

TEST_F(FollowerTest, RefusesWhatNeverWorks) {
  MemoryPlace<> place(blocked({.capacity = 1000}));
  EXPECT_THROW(open_change_source("sqlite:" + path_ + "?table=nobody&column=id"),
               std::invalid_argument);
  const auto from = source();
  EXPECT_THROW(Follower(*from, place, {.rebuild_at = 0}), std::invalid_argument);
  EXPECT_THROW(Follower(*from, place, {.growth = 0.5}), std::invalid_argument);

  // Nor does a filter that cannot be made, however often it is tried.
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

// As a server's string, which has 512 MiB.
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

// A source that cannot say how many rows there are.
class UncountedSource final : public ChangeSource {
 public:
  explicit UncountedSource(ChangeSource& source) : source_(source) {}
  std::string name() const override { return source_.name(); }
  bool start(const std::optional<Watermark>& from, const CallContext& context) override {
    return source_.start(from, context);
  }
  SourceTotals scan(const BatchConsumer& consumer, const CallContext& context) override {
    return source_.scan(consumer, context);
  }
  std::optional<std::uint64_t> expected_count() override { return std::nullopt; }
  void poll(const ChangeConsumer& consumer, std::chrono::milliseconds patience,
            const CallContext& context) override {
    source_.poll(consumer, patience, context);
  }
  void confirm(const Watermark& watermark) override { source_.confirm(watermark); }
  void remove(const CallContext& context) override { source_.remove(context); }

 private:
  ChangeSource& source_;
};

TEST_F(FollowerTest, WhatASourceDoesNotCountIsCountedByTheScan) {
  insert("first ", 5'000);
  MemoryPlace<> place(blocked({.capacity = 1000}));
  const auto counted = source();
  UncountedSource from(*counted);
  Follower follower(from, place, {});
  Following running(follower);
  running.wait_until([](const FollowerStatus& now) { return now.rebuilds == 2; });
  for (const char* name : {"a ", "b ", "c "}) {
    insert(name, 1);
    running.wait_for(fence());
  }
  EXPECT_EQ(follower.status().rebuilds, 2U);
  expect_in(place, "first ", 5'000, fence());
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

class FollowerInServerTest : public FollowerTest {
 protected:
  void SetUp() override {
    FollowerTest::SetUp();
    if (!RedisServer::is_installed()) GTEST_SKIP() << "no redis-server here";
    server_ = std::make_unique<RedisServer>(folder_.path(""));
  }
  PlaceLocation bitmap() const {
    return parse_place_location("bitmap:redis+unix://" + server_->socket() + "#users");
  }
  // Until what is in the server reaches the database. The fence is asked again and again, as a scan
  // makes the one before another's.
  void wait_in_server() {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (std::chrono::steady_clock::now() < until) {
      try {
        const auto there = reader()->head().watermark;
        if (there && there->reaches(fence())) return;
      } catch (const StoreError&) {
        // There is none yet.
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    FAIL() << "the fence is never reached";
  }
  std::unique_ptr<FilterPlace> reader() const { return open_place(bitmap()); }

  std::unique_ptr<RedisServer> server_;
};

TEST_F(FollowerInServerTest, BringsUpAgainWhatAServerLost) {
  insert("before ", 100);
  FollowedPlace place(bitmap(), blocked);
  const auto from = source();
  Follower follower(*from, place, {});
  Following running(follower);
  running.wait_until_followed();
  server_->ask("COPY users saved");
  insert("lost ", 100);
  running.wait_for(fence());

  // An older copy of the filter, under an open connection: it goes on from there, without a scan.
  server_->ask("COPY saved users REPLACE");
  insert("after ", 100);
  wait_in_server();
  EXPECT_EQ(follower.status().rebuilds, 1U);
  expect_in(*reader(), "lost ", 100, fence());
  expect_in(*reader(), "after ", 100, fence());

  // Nothing at all.
  server_->ask("COPY saved kept");
  server_->ask("DEL users");
  insert("again ", 100);
  wait_in_server();
  running.wait_until([](const FollowerStatus& now) { return now.rebuilds == 2; });
  for (const std::string prefix : {"before ", "lost ", "after ", "again "}) {
    expect_in(*reader(), prefix, 100, fence());
  }

  // The copy of the filter that was there before the scan.
  server_->ask("COPY kept users REPLACE");
  insert("last ", 100);
  wait_in_server();
  for (const std::string prefix : {"before ", "lost ", "after ", "again ", "last "}) {
    expect_in(*reader(), prefix, 100, fence());
  }
}

TEST_F(FollowerInServerTest, GoesOnInASmallerFilterAndMakesADamagedOneAnew) {
  insert("before ", 1000);
  FollowedPlace place(bitmap(), blocked);
  const auto from = source();
  Follower follower(*from, place, {.longest_pause = std::chrono::milliseconds(50)});
  Following running(follower);
  running.wait_until_followed();
  server_->ask("COPY users smaller");
  insert("more ", 2000);  // beyond what it is for
  running.wait_until([](const FollowerStatus& now) { return now.rebuilds == 2; });
  running.wait_for(fence());

  server_->ask("COPY smaller users REPLACE");
  insert("after ", 100);
  running.wait_until([](const FollowerStatus& now) { return now.rebuilds == 3; });
  wait_in_server();
  for (const auto& [prefix, count] :
       {std::pair("before ", 1000), {"more ", 2000}, {"after ", 100}}) {
    const auto answers = ask(*reader(), prefix, count, fence());
    EXPECT_EQ(std::ranges::count(answers, Presence::maybe), count) << prefix;
  }

  server_->ask("APPEND users something");
  EXPECT_THROW(reader(), StoreError);
  insert("last ", 100);
  running.wait_until([](const FollowerStatus& now) { return now.rebuilds == 4; });
  wait_in_server();
  expect_in(*reader(), "after ", 100, fence());
  expect_in(*reader(), "last ", 100, fence());

  // Who begins with a damaged one, too.
  server_->ask("COPY users other");
  server_->ask("APPEND other something");
  FollowedPlace second(parse_place_location("bitmap:redis+unix://" + server_->socket() + "#other"),
                       blocked);
  EXPECT_FALSE(second.head().identity.is_set());
}

TEST_F(FollowerInServerTest, LeavesWhatIsNoFilterAloneAndGoesOnOnceItIsGone) {
  insert("row ", 100);
  FollowedPlace place(bitmap(), blocked);
  const auto from = source();
  Follower follower(*from, place,
                    {.look_every = std::chrono::milliseconds(20),
                     .longest_pause = std::chrono::milliseconds(50)});
  Following running(follower);
  running.wait_until_followed();
  server_->ask("SET users something");
  running.wait_until([](const FollowerStatus& now) {
    return now.last_error.find("is left alone") != std::string::npos;
  });
  EXPECT_EQ(server_->ask("GET users"), "something\n");
  EXPECT_THROW(FollowedPlace(bitmap(), blocked), FormatError);
  server_->ask("DEL users");
  running.wait_until([](const FollowerStatus& now) { return now.rebuilds == 2; });
  wait_in_server();
  expect_in(*reader(), "row ", 100, fence());
}

// A bitmap says nothing of itself: a string of another length may be whatever somebody keeps there.
TEST_F(FollowerInServerTest, LeavesAStringAloneOfWhichNothingSaysThatItIsAFilter) {
  insert("row ", 100);
  const auto at = [&](const std::string& settings) {
    return parse_place_location("gozero:redis+unix://" + server_->socket() + "?bits=40000" +
                                settings + "#a");
  };
  const auto make = [](const FilterOptions& options) {
    return find_format("gozero")->create(options, {{"bits", "40000"}});
  };
  for (const std::string trailer : {"&trailer=1", ""}) {
    SCOPED_TRACE(trailer);
    server_->ask("SET a something");
    EXPECT_THROW(FollowedPlace(at(trailer), make), FormatError);
    EXPECT_THROW(head_to_follow(at(trailer)), FormatError);
    EXPECT_EQ(server_->ask("GET a"), "something\n");

    // It comes while the table is read, too.
    server_->ask("DEL a");
    {
      FollowedPlace place(at(trailer), make);
      const auto rebuild = place.begin_rebuild({.capacity = 100});
      server_->ask("SET a something");
      EXPECT_THROW(rebuild->commit(), StoreError);
    }
    EXPECT_EQ(server_->ask("GET a"), "something\n");

    const auto from = source();
    const auto last = open_fence(location());
    FollowedPlace trusted(at(trailer + "&trust=bits"), make);
    Follower(*from, trusted, {}).run_once({}, *last);
    EXPECT_NE(server_->ask("STRLEN a"), "9\n");
    // What a follower made is followed by the next one.
    FollowedPlace again(at(trailer), make);
    Follower(*from, again, {}).run_once({}, *last);
    EXPECT_EQ(again.presence_of("row 7"), Presence::maybe);
  }
}

// It comes while the table is read, at the key of a filter or of one of its partitions.
TEST_F(FollowerInServerTest, LeavesAStringAloneThatComesWhereItsOwnFilterIsToBe) {
  const std::string server = "bitmap:redis+unix://" + server_->socket();
  for (const std::string partitions : {"", "?partitions=2"}) {
    const std::string key = partitions.empty() ? "a" : redis::partition_key("a", 1, 2);
    FollowedPlace place(parse_place_location(server + partitions + "#a"), blocked);
    const auto rebuild = place.begin_rebuild({.capacity = 1000});
    server_->ask("SET '" + key + "' something");
    try {
      rebuild->commit({});
      ADD_FAILURE() << "it was replaced";
    } catch (const StoreError& error) {
      EXPECT_NE(std::string(error.what()).find("is left alone"), std::string::npos) << error.what();
    }
    EXPECT_EQ(server_->ask("GET '" + key + "'"), "something\n");
    server_->ask("FLUSHALL");
  }
}

TEST_F(FollowerInServerTest, RefusesWhatNoStringHoldsBeforeTheTableIsRead) {
  const std::string server = "bitmap:redis+unix://" + server_->socket();
  const FilterOptions large{.capacity = 600'000'000, .false_positive_rate = 0.01};
  FollowedPlace one(parse_place_location(server + "?partitions=1#a"), blocked);
  EXPECT_THROW(one.begin_rebuild(large), std::invalid_argument);
  FollowedPlace many(parse_place_location(server + "#a"), blocked);
  EXPECT_TRUE(many.begin_rebuild(large)) << "in partitions";
}

// Reading the string takes a right that only a trailer needs.
TEST_F(FollowerInServerTest, ReadsNoTrailerWhereNoneIsSaid) {
  server_->ask("ACL SETUSER follower on >any ~* +@all -getrange");
  setenv("BLOOMERY_TEST_FOLLOWER", "any", 1);
  const auto at =
      parse_place_location("gozero:redis+unix://" + server_->socket() +
                           "?bits=40000&user=follower&password_env=BLOOMERY_TEST_FOLLOWER#a");
  FollowedPlace place(at, [](const FilterOptions& options) {
    return find_format("gozero")->create(options, {{"bits", "40000"}});
  });
  const auto rebuild = place.begin_rebuild({.capacity = 100});
  rebuild->insert_many(std::vector<Key>{"row"}, {});
  EXPECT_NO_THROW(rebuild->commit({}));
  EXPECT_EQ(place.presence_of("row"), Presence::maybe);
}

// Of another system's filter with a trailer, too: whatever became of its bits or configuration.
TEST_F(FollowerInServerTest, MakesADamagedFilterOfAnotherSystemAnew) {
  insert("row ", 100);
  const std::string server = "redis+unix://" + server_->socket();
  const std::string gozero = "gozero:" + server + "?bits=40000&trailer=1#";
  const std::string redisson = "redisson:" + server + "?trailer=1#";
  struct Loss {
    std::string where;
    std::string command;
  };
  const std::vector<Loss> losses{
      {gozero + "a", "APPEND a x"}, {redisson + "b", "DEL {b}:config"}, {redisson + "c", "DEL c"}};
  for (const auto& [where, loss] : losses) {
    SCOPED_TRACE(loss);
    const PlaceLocation location = parse_place_location(where);
    FormatSettings settings;
    if (where == gozero + "a") settings = {{"bits", "40000"}};
    FollowedPlace place(location, [&](const FilterOptions& options) {
      return location.format->create(options, settings);
    });
    const auto from = source();
    Follower follower(*from, place,
                      {.look_every = std::chrono::milliseconds(20),
                       .longest_pause = std::chrono::milliseconds(50)});
    {
      Following running(follower);
      running.wait_until_followed();
      server_->ask(loss);
      EXPECT_FALSE(head_to_follow(location)) << "who begins then makes it anew, too";
      running.wait_until([](const FollowerStatus& now) {
        return now.rebuilds == 2 && now.state == FollowerStatus::State::following;
      });
    }
    expect_in(*open_place(location), "row ", 100, fence());
  }
}

// No change of the table finds it.
TEST_F(FollowerInServerTest, NoticesWhatIsLostWhileNothingChanges) {
  insert("row ", 100);
  const std::string server = "bitmap:redis+unix://" + server_->socket();
  const std::string part = redis::partition_key("parts", 1, 3);
  for (const auto& [where, lost] : {std::pair(server + "#users", std::string("users")),
                                    {server + "?partitions=3#parts", part}}) {
    FollowedPlace place(parse_place_location(where), blocked);
    const auto from = source(lost);
    Follower follower(*from, place, {.look_every = std::chrono::milliseconds(20)});
    Following running(follower);
    running.wait_until_followed();
    EXPECT_EQ(server_->ask("DEL " + lost), "1\n") << lost;
    running.wait_until([](const FollowerStatus& now) {
      return now.rebuilds == 2 && now.state == FollowerStatus::State::following;
    });
    EXPECT_EQ(server_->ask("EXISTS " + lost), "1\n") << lost;
  }
}

TEST_F(FollowerInServerTest, AServerWithoutMemoryIsNotBelieved) {
  insert("before ", 100);
  FollowedPlace place(bitmap(), blocked);
  const auto from = source();
  Follower follower(*from, place, {.longest_pause = std::chrono::milliseconds(100)});
  Following running(follower);
  running.wait_until_followed();
  const auto asked = reader();
  server_->ask("CONFIG SET maxmemory 1");
  insert("refused ", 100);
  running.wait_until([](const FollowerStatus& now) { return now.failures > 0; });
  const auto answers = ask(*asked, "refused ", 100, fence());
  EXPECT_EQ(std::ranges::count(answers, Presence::absent), 0) << "it reads, and is behind";
  EXPECT_NE(follower.status().last_error.find("OOM"), std::string::npos)
      << follower.status().last_error;
  server_->ask("CONFIG SET maxmemory 0");
  running.wait_for(fence());
  expect_in(*reader(), "refused ", 100, fence());
  EXPECT_EQ(follower.status().rebuilds, 1U);
}

TEST_F(FollowerInServerTest, TwoFollowersOfOneFilterHarmNobody) {
  insert("before ", 100);
  FollowedPlace one(bitmap(), blocked);
  FollowedPlace two(bitmap(), blocked);
  const auto first = source();
  const auto second = source();
  // Who finds that the other has just put another filter there tries again after a pause.
  const FollowerOptions options{.longest_pause = std::chrono::seconds(1)};
  Follower a(*first, one, options);
  Follower b(*second, two, options);
  Following running(a);
  Following beside(b);
  running.wait_until_followed();
  beside.wait_until_followed();
  for (int i = 0; i < 20; ++i) {
    const std::string prefix = "round " + std::to_string(i) + " ";
    insert(prefix, 20);
    if (i == 10) b.rebuild();
    // A scan that ends just now makes the fence another's.
    const auto answers = ask(*reader(), prefix, 20, fence());
    EXPECT_EQ(std::ranges::count(answers, Presence::absent), 0) << prefix;
  }
  beside.wait_until([](const FollowerStatus& now) { return now.rebuilds >= 2; });
  wait_in_server();
  for (int i = 0; i < 20; ++i) {
    expect_in(*reader(), "round " + std::to_string(i) + " ", 20, fence());
  }
}

}  // namespace
}  // namespace bloomery
