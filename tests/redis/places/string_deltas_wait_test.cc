// SPDX-License-Identifier: Apache-2.0
// A copy of a filter in a string waits for what steps leave beside it.
#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "bloomery/filter/filter_kinds.h"
#include "bloomery/redis/places/native_load.h"
#include "bloomery/redis/places/string_deltas.h"
#include "tests/redis/places/native_place_fixture.h"

namespace bloomery::redis {
namespace {

class StringDeltasWait : public NativeTest {
 protected:
  using milliseconds = std::chrono::milliseconds;
  using Delta = std::optional<DeltaSource::Delta>;
  using Awaits = DeltaSource::Awaits;
  static constexpr Identity kRows{1, 2};
  // Longer than a test lasts, and less than half of the time-out.
  static constexpr milliseconds kLong{15'000};

  void make(const std::string& settings = "") {
    const AnyFilter filter = make_filter(
        FilterKind::blocked, {.capacity = 10'000, .false_positive_rate = 0.001, .seed = 7});
    Client client(parse_location(at(settings)));
    load_native(client, filter.contents(), {.old = OldFilter::drop});
    place_ = open_native_place(at("?deltas=100000"), true);
    step(1);
  }
  // Row `number` comes.
  void step(std::uint64_t number) {
    const std::string text = "row" + std::to_string(number);
    const Key key = text;
    PlaceHead head = place_->head();
    ASSERT_TRUE(place_->insert_and_advance({&key, 1}, head, {kRows, number}));
  }
  void copy(const std::string& settings = "?timeout=60000") {
    source_ = open_string_deltas(at(settings));
    position_ = source_->read_whole(std::uint64_t{1} << 28, {}).position;
  }
  Delta since(milliseconds wait, const CallContext& context = {}) {
    Delta delta = source_->since(position_, wait, context);
    if (delta) position_ = delta->position;
    return delta;
  }
  // Asks in another thread, and returns when the server lets it wait.
  std::future<Delta> begin_wait(const std::stop_token& stop = {}) {
    auto waiting =
        std::async(std::launch::async, [=, this] { return since(kLong, {.stop = stop}); });
    while (blocked() != 1 && waiting.wait_for(milliseconds(1)) == std::future_status::timeout) {
    }
    EXPECT_EQ(blocked(), 1);
    return waiting;
  }
  long number_in(const std::string& section, const std::string& name) {
    const std::string all = ask({"INFO", section}).text;
    const auto found = all.find(name);
    return found == std::string::npos ? 0 : std::stol(all.substr(found + name.size()));
  }
  long blocked() { return number_in("clients", "\r\nblocked_clients:"); }
  long waits() { return number_in("commandstats", "cmdstat_xread:calls="); }

  std::unique_ptr<FilterPlace> place_{};
  std::unique_ptr<DeltaSource> source_{};
  DeltaPosition position_{};
};

TEST_F(StringDeltasWait, EndsWhenAStepIsThere) {
  make();
  copy();
  for (std::uint64_t row = 2; row < 6; ++row) {
    auto waiting = begin_wait();
    step(row);
    const Delta delta = waiting.get();
    ASSERT_TRUE(delta && delta->is_last);
    EXPECT_EQ(delta->hashes.size(), 1U);
    EXPECT_EQ(delta->reached, (Watermark{kRows, row}));
  }
  EXPECT_EQ(waits(), 4);
}

TEST_F(StringDeltasWait, EndsWhenAStepOfAnyPartitionIsThere) {
  make("?partitions=4");
  copy();
  std::uint64_t hashes = 0;
  for (std::uint64_t row = 2; row < 10; ++row) {
    auto waiting = begin_wait();
    step(row);
    for (Delta delta = waiting.get();; delta = since(kLong)) {
      ASSERT_TRUE(delta && delta->is_last);
      hashes += delta->hashes.size();
      if (delta->reached == Watermark{kRows, row}) break;
    }
  }
  EXPECT_EQ(hashes, 8U);
}

// A step that came before the wait is not waited for.
TEST_F(StringDeltasWait, BeginsAtTheStateOfTheCopy) {
  make();
  copy();
  step(2);
  const Delta delta = since(kLong);
  ASSERT_TRUE(delta);
  EXPECT_EQ(delta->hashes.size(), 1U);
  EXPECT_EQ(waits(), 0);
}

TEST_F(StringDeltasWait, EndsWhenItsCallerStops) {
  make();
  copy();
  std::stop_source stop;
  auto waiting = begin_wait(stop.get_token());
  stop.request_stop();
  EXPECT_THROW(waiting.get(), CallAborted);
}

TEST_F(StringDeltasWait, BringsWhatNoEntryTellsOfWhenItIsOver) {
  make();
  copy();
  EXPECT_TRUE(since(milliseconds(30)));
  ask({"DEL", "{f}.steps"});
  EXPECT_TRUE(since(milliseconds(30))) << "nothing is missing yet";
  make();  // another filter, whose stream begins anew
  EXPECT_FALSE(since(milliseconds(30)));
}

// Entries that lead nowhere would end each wait at once.
TEST_F(StringDeltasWait, IsNotCutShortByAStreamThatIsAhead) {
  make();
  ask({"COPY", "f", "old"});
  step(2);
  ask({"COPY", "old", "f", "REPLACE"});
  copy();
  constexpr milliseconds kWait{100};
  const auto begin = std::chrono::steady_clock::now();
  const Delta delta = since(kWait);
  EXPECT_GE(std::chrono::steady_clock::now() - begin, kWait);
  ASSERT_TRUE(delta);
  EXPECT_TRUE(delta->hashes.empty());
  EXPECT_EQ(waits(), 1);
}

TEST_F(StringDeltasWait, DoesNotTakeAKeyOfOthersForItsStream) {
  make();
  copy();
  ask({"DEL", "{f}.steps"});
  ask({"SET", "{f}.steps", "of others"});
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_TRUE(since(milliseconds(50)));
  EXPECT_GE(std::chrono::steady_clock::now() - begin, milliseconds(50));
  EXPECT_EQ(source_->awaits(), Awaits::steps);
}

TEST_F(StringDeltasWait, IsLeftOutWhereTheUserMayNot) {
  make();
  setenv("BLOOMERY_TEST_WAITER", "any", 1);
  ask({"ACL", "SETUSER", "waiter", "reset", "on", "nopass", "~*", "+@all", "-xread"});
  copy("?user=waiter&password_env=BLOOMERY_TEST_WAITER");
  EXPECT_EQ(source_->awaits(), Awaits::steps);
  EXPECT_TRUE(since(kLong));
  EXPECT_EQ(source_->awaits(), Awaits::nothing);
  step(2);
  const Delta delta = since(kLong);
  ASSERT_TRUE(delta);
  EXPECT_EQ(delta->reached, (Watermark{kRows, 2}));
}

}  // namespace
}  // namespace bloomery::redis
