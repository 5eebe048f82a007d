// SPDX-License-Identifier: Apache-2.0
// A copy in this process that goes on by the hashes of what came.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bloomery/errors.h"
#include "bloomery/filter/filter_kinds.h"
#include "bloomery/place/local_copy.h"
#include "bloomery/place/memory_place.h"

namespace bloomery {
namespace {

using std::chrono::milliseconds;

const Identity kDatabase{7, 7};

// A filter far away that remembers what came, as a server's does, and a place over it that counts
// its trips and denies nothing.
class FarFilter final : public FilterPlace {
 public:
  explicit FarFilter(KeyForm keys = {}) : filter_(make(keys)) {}

  std::string name() const override { return "a far filter"; }
  void ask(std::span<const Key> keys, std::span<Presence>, Proofs&, const CallContext&) override {
    trips += keys.empty() ? 0 : 1;
  }
  using FilterPlace::insert_many;
  void insert_many(std::span<const Key> keys, std::span<Inserted>, const CallContext&) override {
    const std::lock_guard lock(mutex_);
    for (const Key key : keys) put(key);
  }
  PlaceHead head(const CallContext&) override {
    const std::lock_guard lock(mutex_);
    PlaceHead head;
    head.identity = identity_;
    head.watermark = reached_;
    head.parameters = filter_.parameters();
    return head;
  }
  AnyFilter copy(const CallContext&) override { return read().filter; }

  void step(const std::string& key, std::uint64_t position) {
    const std::lock_guard lock(mutex_);
    put(Key(key));
    reached_ = Watermark{kDatabase, position};
    came_.push_back({0, 0});
  }
  void become_another(KeyForm keys = {}) {
    const std::lock_guard lock(mutex_);
    filter_ = make(keys);
    reached_.reset();
    ++identity_.low;
    break_chain_locked();
  }
  void break_chain() {
    const std::lock_guard lock(mutex_);
    break_chain_locked();
  }
  // Hands out so many entries in an answer.
  std::atomic<std::size_t> most = 100;
  std::atomic<int> trips = 0;
  std::atomic<bool> is_gone = false;
  std::atomic<bool> is_away = false;
  std::atomic<int> whole_reads = 0;
  // The moments of all whole reads since the last call.
  std::vector<std::chrono::steady_clock::time_point> take_read_times() {
    const std::lock_guard lock(mutex_);
    return std::exchange(read_at_, {});
  }

  DeltaSource::Whole read() {
    require();
    const std::lock_guard lock(mutex_);
    ++whole_reads;
    read_at_.push_back(std::chrono::steady_clock::now());
    AnyFilter copy = make_filter(FilterKind::blocked, options(filter_.parameters().keys));
    copy.merge(filter_);
    return {.filter = std::move(copy),
            .identity = identity_,
            .reached = reached_,
            .position = {ring_, came_.size()}};
  }
  std::optional<DeltaSource::Delta> since(const DeltaPosition& at) {
    require();
    const std::lock_guard lock(mutex_);
    if (at.ring != ring_ || at.sequence > came_.size()) return std::nullopt;
    const std::size_t end = std::min(came_.size(), at.sequence + most);
    DeltaSource::Delta delta{.position = {ring_, end}, .is_last = end == came_.size()};
    for (std::size_t i = at.sequence; i < end; ++i) {
      if (came_[i] != HashPair{0, 0}) delta.hashes.push_back(came_[i]);
    }
    if (delta.is_last) {
      delta.identity = identity_;
      delta.reached = reached_;
    }
    return delta;
  }

 private:
  static FilterOptions options(KeyForm keys) {
    return {.capacity = 200'000, .false_positive_rate = 1e-6, .keys = keys};
  }
  static AnyFilter make(KeyForm keys) { return make_filter(FilterKind::blocked, options(keys)); }
  void put(Key key) {
    filter_.insert(key);
    came_.push_back(filter_.hash(key));
  }
  void break_chain_locked() {
    ++ring_.low;
    came_.clear();
  }
  void require() const {
    if (is_gone) throw DeltaSource::Gone("a far filter: gone");
    if (is_away) throw StoreError("a far filter: away");
  }

  std::mutex mutex_;
  AnyFilter filter_;
  Identity identity_{1, 1};
  std::optional<Watermark> reached_;
  Identity ring_{2, 1};
  std::vector<HashPair> came_;
  std::vector<std::chrono::steady_clock::time_point> read_at_;
};

class Deltas final : public DeltaSource {
 public:
  explicit Deltas(FarFilter& far) : far_(far) {}
  Whole read_whole(std::uint64_t, const CallContext&) override { return far_.read(); }
  std::optional<Delta> since(const DeltaPosition& position, milliseconds,
                             const CallContext&) override {
    std::this_thread::sleep_for(milliseconds(1));
    return far_.since(position);
  }

 private:
  FarFilter& far_;
};

LocalCopyOptions by_deltas(FarFilter& far) {
  return {.look_every = milliseconds(1), .deltas = std::make_shared<Deltas>(far)};
}

// Returns whether `test` comes true within ten seconds.
template <class Test>
bool comes_true(Test test) {
  for (int i = 0; i < 10'000; ++i) {
    if (test()) return true;
    std::this_thread::sleep_for(milliseconds(1));
  }
  return false;
}

Presence behind(LocalCopy& copy, const std::string& key, std::uint64_t position,
                const Identity& source = kDatabase) {
  const Fence fence{{source, position}};
  return copy.presence_of(Key(key), {.fence = &fence});
}

TEST(LocalCopyByDeltas, GoesOnWithoutBeingReadAgain) {
  FarFilter far;
  far.step("before", 1);
  LocalCopy copy(far, by_deltas(far));
  ASSERT_TRUE(comes_true([&] { return behind(copy, "out", 1) == Presence::absent; }));
  for (int i = 2; i < 300; ++i) far.step("row" + std::to_string(i), static_cast<unsigned>(i));
  ASSERT_TRUE(comes_true([&] { return behind(copy, "out", 299) == Presence::absent; }));
  for (int i = 2; i < 300; ++i) {
    EXPECT_EQ(behind(copy, "row" + std::to_string(i), 299), Presence::maybe);
  }
  EXPECT_EQ(behind(copy, "out", 300), Presence::unknown);
  EXPECT_EQ(copy.copies(), 1U);
  EXPECT_EQ(copy.hashes(), 298U);
  EXPECT_EQ(copy.last_error(), "");
}

TEST(LocalCopyByDeltas, TakesTheWatermarkOverWithTheLastAnswerAlone) {
  FarFilter far;
  far.step("before", 1);
  LocalCopy copy(far, by_deltas(far));
  ASSERT_TRUE(comes_true([&] { return behind(copy, "out", 1) == Presence::absent; }));
  far.most = 0;  // nothing more is told, though the filter is further
  for (unsigned i = 2; i < 50; ++i) far.step("row" + std::to_string(i), i);
  std::this_thread::sleep_for(milliseconds(20));
  EXPECT_EQ(behind(copy, "row49", 2), Presence::unknown);
  EXPECT_EQ(behind(copy, "out", 1), Presence::absent);
  far.most = 7;
  ASSERT_TRUE(comes_true([&] { return behind(copy, "out", 49) == Presence::absent; }));
  EXPECT_EQ(behind(copy, "row49", 49), Presence::maybe);
}

TEST(LocalCopyByDeltas, IsReadWholeWhereTheChainIsBroken) {
  FarFilter far;
  far.step("before", 1);
  LocalCopy copy(far, by_deltas(far));
  ASSERT_TRUE(comes_true([&] { return copy.copies() == 1; }));
  far.step("lost", 2);
  far.break_chain();
  far.step("after", 3);
  ASSERT_TRUE(comes_true([&] { return behind(copy, "out", 3) == Presence::absent; }));
  EXPECT_EQ(behind(copy, "lost", 3), Presence::maybe);
  EXPECT_TRUE(comes_true([&] { return copy.copies() == 2; }));
}

// Copies in many processes lose their chains at the same moment, as in a failover.
TEST(LocalCopyByDeltas, OfManyAreReadWholeOneAfterTheOther) {
  constexpr std::size_t kCopies = 30;
  FarFilter far;
  far.step("before", 1);
  LocalCopyOptions options = by_deltas(far);
  options.look_every = milliseconds(100);
  std::deque<LocalCopy> copies;
  for (std::size_t i = 0; i < kCopies; ++i) copies.emplace_back(far, options);
  const auto are_read = [&](std::uint64_t times) {
    return std::ranges::all_of(copies, [&](const auto& each) { return each.copies() == times; });
  };
  ASSERT_TRUE(comes_true([&] { return are_read(1); }));
  far.take_read_times();
  far.break_chain();
  ASSERT_TRUE(comes_true([&] { return are_read(2); }));
  const auto read_at = far.take_read_times();
  ASSERT_EQ(read_at.size(), kCopies);
  const auto [first, last] = std::ranges::minmax(read_at);
  EXPECT_GE(last - first, milliseconds(150)) << "each waits up to 400 ms";
}

TEST(LocalCopyByDeltas, WithoutAWatermarkDeniesNothingUntilThereIsOne) {
  FarFilter far;
  far.insert("key");
  LocalCopy copy(far, by_deltas(far));
  ASSERT_TRUE(comes_true([&] { return copy.presence_of("key") == Presence::maybe; }));
  EXPECT_EQ(behind(copy, "out", 0), Presence::unknown);
  far.step("row", 1);
  ASSERT_TRUE(comes_true([&] { return behind(copy, "out", 1) == Presence::absent; }));
  EXPECT_EQ(behind(copy, "out", 1, {9, 9}), Presence::unknown) << "of another database";
  EXPECT_TRUE(comes_true([&] { return copy.copies() == 2; })) << "made anew with its watermark";
}

TEST(LocalCopyByDeltas, WithoutAFenceDeniesNothing) {
  FarFilter far;
  far.step("row", 1);
  LocalCopy copy(far, by_deltas(far));
  ASSERT_TRUE(comes_true([&] { return behind(copy, "out", 1) == Presence::absent; }));
  EXPECT_EQ(copy.presence_of("out"), Presence::unknown);
  EXPECT_EQ(copy.presence_of("row"), Presence::maybe);
}

TEST(LocalCopyByDeltas, OfAFilterThatIsGoneDeniesNothingMore) {
  FarFilter far;
  far.step("row", 1);
  LocalCopy copy(far, by_deltas(far));
  ASSERT_TRUE(comes_true([&] { return behind(copy, "out", 1) == Presence::absent; }));
  far.is_away = true;
  ASSERT_TRUE(comes_true([&] { return copy.last_error() == "a far filter: away"; }));
  EXPECT_EQ(behind(copy, "out", 1), Presence::absent) << "its server may be back";
  far.is_away = false;
  far.is_gone = true;
  ASSERT_TRUE(comes_true([&] { return behind(copy, "out", 1) == Presence::unknown; }));
  far.become_another();
  far.step("other", 1);
  far.is_gone = false;
  ASSERT_TRUE(comes_true([&] { return behind(copy, "out", 1) == Presence::absent; }));
  EXPECT_EQ(behind(copy, "other", 1), Presence::maybe);
}

// Keys of another form are other bytes, which a copy would deny.
void expect_one_form_of_keys(const std::function<LocalCopyOptions(FarFilter& far)>& options) {
  FarFilter far;
  far.step("row", 1);
  LocalCopy copy(far, options(far));
  ASSERT_TRUE(comes_true([&] { return behind(copy, "out", 1) == Presence::absent; }));
  far.become_another({KeyEncoding::utf16});
  far.step("row", 1);
  ASSERT_TRUE(comes_true([&] { return behind(copy, "out", 1) == Presence::unknown; }));
  // The old copy is given up before the new filter is looked at.
  EXPECT_TRUE(comes_true([&] {
    return copy.last_error().find("its keys are now utf16") != std::string::npos;
  })) << copy.last_error();
  EXPECT_EQ(behind(copy, "out", 1), Presence::unknown);
}

TEST(LocalCopyByDeltas, IsOfOneFormOfKeysOnly) {
  expect_one_form_of_keys(by_deltas);
}

TEST(LocalCopy, IsOfOneFormOfKeysOnly) {
  expect_one_form_of_keys(
      [](FarFilter&) { return LocalCopyOptions{.look_every = milliseconds(1)}; });
}

TEST(LocalCopyByDeltas, IsGivenUpWhereTheHeadIsOfAnotherAndReadAgain) {
  FarFilter far;
  far.step("row", 5);
  LocalCopy copy(far, by_deltas(far));
  ASSERT_TRUE(comes_true([&] { return behind(copy, "out", 5) == Presence::absent; }));
  far.become_another();
  copy.head();
  EXPECT_EQ(behind(copy, "out", 5), Presence::unknown) << "whoever has the head has no old copy";
  far.step("row", 6);
  ASSERT_TRUE(comes_true([&] { return behind(copy, "out", 6) == Presence::absent; }));
}

// Heads are read and questions asked while the copy goes on: a copy that is further than a head
// that was on its way is no copy of another filter.
TEST(LocalCopyByDeltas, IsNotGivenUpForHeadsThatWereOnTheirWay) {
  FarFilter far;
  far.step("row", 1);
  LocalCopy copy(far, by_deltas(far));
  ASSERT_TRUE(comes_true([&] { return copy.copies() == 1; }));
  std::atomic<bool> ends = false;
  std::jthread steps([&] {
    for (unsigned i = 2; !ends; ++i) far.step("row" + std::to_string(i), i);
  });
  for (int i = 0; i < 2000; ++i) copy.head();
  ends = true;
  steps.join();
  EXPECT_EQ(copy.copies(), 1U);
}

TEST(LocalCopyByDeltas, DeniesNoRowThatTheFenceHas) {
  FarFilter far;
  far.step("row0", 1);
  far.most = 150;
  LocalCopy copy(far, by_deltas(far));
  ASSERT_TRUE(comes_true([&] { return copy.copies() == 1; }));
  std::atomic<unsigned> committed = 1;
  std::atomic<bool> ends = false;
  std::atomic<int> denied = 0;
  std::atomic<int> reached = 0;
  std::vector<std::jthread> asking;
  for (unsigned seed = 0; seed < 2; ++seed) {
    asking.emplace_back([&, seed] {
      std::mt19937 random(seed);
      while (!ends) {
        // The place that the copy has reached by now, more or less.
        const auto back = static_cast<unsigned>(random() % 300);
        const unsigned visible = committed.load();
        const unsigned fence = visible - std::min(visible - 1, back);
        for (unsigned row = fence - std::min(fence, 4U); row < fence; ++row) {
          if (behind(copy, "row" + std::to_string(row), fence) == Presence::absent) ++denied;
        }
        if (behind(copy, "out", fence) == Presence::absent) ++reached;
      }
    });
  }
  for (unsigned i = 1; i < 30'000; ++i) {
    committed = i + 1;  // the row is there, and then it comes here
    far.step("row" + std::to_string(i), i + 1);
    if (i % 3000 == 0) far.break_chain();
    if (i % 40 == 0) std::this_thread::sleep_for(milliseconds(1));
  }
  ASSERT_TRUE(comes_true([&] { return behind(copy, "out", 30'000) == Presence::absent; }));
  ends = true;
  asking.clear();
  EXPECT_EQ(denied, 0);
  EXPECT_GT(reached, 0);
}

}  // namespace
}  // namespace bloomery
