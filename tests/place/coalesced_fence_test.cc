// SPDX-License-Identifier: Apache-2.0
// Many threads, one question to the database, and never an answer from before one came.

#include "bloomery/place/coalesced_fence.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <condition_variable>
#include <thread>

#include "bloomery/errors.h"
#include "tests/support/run_threads.h"

namespace bloomery {
namespace {

using std::chrono::milliseconds;

const Identity kSource{1, 2};
constexpr int kNever = 1'000'000;

// A database that only counts its commits, and can be held, broken and exchanged.
class PlayedDatabase {
 public:
  // Answers with the position of the database when the asking *began*: the oldest answer that a
  // connection may give. So a caller that takes an answer from before its time is found out.
  class Source final : public FenceSource {
   public:
    explicit Source(PlayedDatabase& database) : database_(database) {}
    ~Source() override { ++database_.closed; }
    Watermark ask(const CallContext& context) override { return database_.ask(context); }

   private:
    PlayedDatabase& database_;
  };

  std::unique_ptr<FenceSource> open() {
    ++opened;
    if (refuses) throw StoreError("no such server");
    return std::make_unique<Source>(*this);
  }

  std::uint64_t commit() { return ++position_; }

  void hold() { set_held(true); }
  void release() { set_held(false); }
  // Waits until so many questions have come in all.
  void wait_for(int count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return asked >= count; });
  }

  std::atomic<int> opened = 0;
  std::atomic<int> closed = 0;
  std::atomic<int> asked = 0;
  std::atomic<bool> refuses = false;
  std::atomic<int> fails_from = kNever;  // by their number
  std::atomic<int> fails_until = kNever;

 private:
  Watermark ask(const CallContext& context) {
    const std::uint64_t position = position_;
    std::unique_lock lock(mutex_);
    const int number = ++asked;
    changed_.notify_all();
    while (held_) {
      changed_.wait_for(lock, milliseconds(1));
      if (context.is_over()) throw CallAborted("a played database: over");
    }
    if (number >= fails_from && number < fails_until) throw StoreError("a played database: away");
    return {kSource, position};
  }
  void set_held(bool held) {
    const std::lock_guard lock(mutex_);
    held_ = held;
    changed_.notify_all();
  }

  std::atomic<std::uint64_t> position_{0};
  std::mutex mutex_;
  std::condition_variable changed_;
  bool held_ = false;
};

// A fence with one connection, of which nobody is impatient: what is shared does not depend on the
// machine.
struct OneConnection {
  explicit OneConnection(CoalescedFenceOptions options = {.connections = 1,
                                                          .timeout = milliseconds(60'000)})
      : fence([this] { return database.open(); }, std::move(options)) {}

  void wait_for_waiting(std::size_t count) {
    while (fence.waiting() < count) std::this_thread::yield();
  }

  PlayedDatabase database;
  CoalescedFence fence;
};

TEST(CoalescedFence, SaysHowFarTheDatabaseIs) {
  OneConnection world;
  world.database.commit();
  EXPECT_EQ(world.fence.ask().at_least, (Watermark{kSource, 1}));
  world.database.commit();
  EXPECT_EQ(world.fence.ask().at_least, (Watermark{kSource, 2}));
  EXPECT_EQ(world.database.opened, 1) << "the connection is kept";
}

TEST(CoalescedFence, AHundredThreadsCostOneQuestion) {
  OneConnection world;
  world.database.hold();
  std::thread first([&] { world.fence.ask(); });
  world.database.wait_for(1);
  world.database.commit();
  std::vector<std::thread> threads;
  std::atomic<int> right = 0;
  for (int i = 0; i < 100; ++i) {
    threads.emplace_back([&] { right += world.fence.ask().at_least.position == 1 ? 1 : 0; });
  }
  world.wait_for_waiting(100);
  world.database.release();
  first.join();
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, 100) << "none of them was told what was asked before the commit";
  EXPECT_EQ(world.fence.questions(), 2U);
}

// The model: who comes has just committed. Any answer below that was asked before he came.
TEST(CoalescedFence, NobodyIsToldWhatWasAskedBeforeHeCame) {
  PlayedDatabase database;
  CoalescedFence fence([&] { return database.open(); },
                       {.connections = 3, .patience = milliseconds(0)});
  std::atomic<int> old = 0;
  std::atomic<int> aborted = 0;
  run_threads(8, [&](int thread) {
    for (int i = 0; i < 400; ++i) {
      std::stop_source stop;
      if ((i + thread) % 11 == 0) stop.request_stop();
      const std::uint64_t mine = database.commit();
      try {
        const Fence told = fence.ask({.stop = stop.get_token()});
        old += told.at_least.position < mine ? 1 : 0;
      } catch (const CallAborted&) {
        ++aborted;
      }
    }
  });
  EXPECT_EQ(old, 0);
  EXPECT_LE(fence.questions(), fence.calls());
  EXPECT_LE(database.opened, 3 + aborted);
}

// The model finds out a fence that does what ordinary single flights do.
TEST(CoalescedFence, TheModelFindsOutWhoJoinsAQuestionUnderWay) {
  PlayedDatabase database;
  database.hold();
  PlayedDatabase::Source source(database);
  Watermark shared;
  std::thread first([&] { shared = source.ask({}); });
  database.wait_for(1);
  const std::uint64_t mine = database.commit();
  database.release();
  first.join();
  EXPECT_LT(shared.position, mine);
}

TEST(CoalescedFence, AnErrorReachesThoseWhoShareTheQuestionAndNobodyElse) {
  OneConnection world;
  world.database.hold();
  std::atomic<int> failed = 0;
  const auto ask = [&] {
    try {
      world.fence.ask();
    } catch (const StoreError&) {
      ++failed;
    }
  };
  std::thread first([&] { EXPECT_NO_THROW(world.fence.ask()); });
  world.database.wait_for(1);
  world.database.fails_from = 2;
  std::vector<std::thread> others;
  for (int i = 0; i < 3; ++i) others.emplace_back(ask);
  world.wait_for_waiting(3);
  world.database.release();
  first.join();
  for (std::thread& thread : others) thread.join();
  EXPECT_EQ(failed, 3);
  world.database.fails_from = kNever;
  while (failed != 0) {  // the pause of the back-off, half a second at most
    failed = 0;
    ask();
  }
}

TEST(CoalescedFence, AConnectionThatWasCutMeanwhileIsReplacedWithoutAWord) {
  OneConnection world;
  world.fence.ask();
  world.database.fails_from = 2;
  world.database.fails_until = 3;
  EXPECT_NO_THROW(world.fence.ask());
  EXPECT_EQ(world.database.opened, 2);
  EXPECT_EQ(world.database.closed, 1);
}

TEST(CoalescedFence, WhileTheDatabaseIsAwayNobodyKnocksAtEveryQuestion) {
  OneConnection world;
  world.database.refuses = true;
  for (int i = 0; i < 50; ++i) EXPECT_THROW(world.fence.ask(), StoreError);
  EXPECT_LT(world.database.opened, 50);
  EXPECT_EQ(world.fence.questions(), 0U);
}

TEST(CoalescedFence, EverybodyKeepsHisDeadline) {
  OneConnection world;
  world.database.hold();
  std::thread first([&] { world.fence.ask(); });
  world.database.wait_for(1);
  EXPECT_THROW(world.fence.ask(CallContext::within(milliseconds(5))), CallAborted);
  world.database.release();
  first.join();
}

TEST(CoalescedFence, ADatabaseThatDoesNotAnswerIsAFailureWhoeverHasTime) {
  OneConnection world({.connections = 1, .timeout = milliseconds(20)});
  world.database.hold();
  EXPECT_THROW(world.fence.ask(), StoreError);
  EXPECT_EQ(world.database.closed, 1) << "its answer may come yet, and be taken for another's";
  world.database.release();
}

TEST(CoalescedFence, AStuckConnectionHoldsUpNobodyElse) {
  PlayedDatabase stuck;
  PlayedDatabase works;
  stuck.hold();
  CoalescedFence fence(
      [&, is_first = true]() mutable {
        return std::exchange(is_first, false) ? stuck.open() : works.open();
      },
      {.connections = 2, .patience = milliseconds(1)});
  std::thread first([&] { fence.ask(); });
  stuck.wait_for(1);
  EXPECT_NO_THROW(fence.ask());
  stuck.release();
  first.join();
}

TEST(CoalescedFence, AChildOfAForkDoesNotUseItsParentsConnection) {
  OneConnection world;
  world.fence.ask();
  const pid_t child = fork();
  if (child == 0) {
    const bool right = world.fence.ask().at_least.source == kSource && world.database.opened == 2 &&
                       world.database.closed == 0;
    _exit(right ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST(CoalescedFence, AnAnswerOfNoSourceIsNone) {
  struct Nobody final : FenceSource {
    Watermark ask(const CallContext&) override { return {.source = {}, .position = 7}; }
  };
  CoalescedFence fence([] { return std::make_unique<Nobody>(); });
  EXPECT_THROW(fence.ask(), StoreError);
}

TEST(CoalescedFence, RefusesToAskNobody) {
  EXPECT_THROW(CoalescedFence{CoalescedFence::Open{}}, std::invalid_argument);
  EXPECT_THROW(CoalescedFence([] { return nullptr; }, {.connections = 0}), std::invalid_argument);
}

}  // namespace
}  // namespace bloomery
