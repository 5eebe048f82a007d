// SPDX-License-Identifier: Apache-2.0
#include "bloomery/guard/single_flight.h"

#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <chrono>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/run_threads.h"

namespace bloomery {
namespace {

using Flights = SingleFlight<int>;

TEST(SingleFlight, TheFirstLeadsAndTheOthersShareItsAnswer) {
  Flights flights;
  auto leader = flights.board(hashed("key"));
  const auto other = flights.board(hashed("key"));
  EXPECT_TRUE(leader.leads());
  EXPECT_FALSE(other.leads());
  leader.flight().succeed(7);
  EXPECT_EQ(other.flight().wait(), 7);
}

TEST(SingleFlight, KeysFlyApart) {
  Flights flights;
  const auto a = flights.board(hashed("a"));
  const auto b = flights.board(hashed("b"));
  EXPECT_TRUE(a.leads());
  EXPECT_TRUE(b.leads());
}

TEST(SingleFlight, AnAnswerThatHasNotLandedIsStillShared) {
  Flights flights;
  auto leader = flights.board(hashed("key"));
  leader.flight().succeed(7);
  EXPECT_EQ(flights.board(hashed("key")).flight().wait(), 7);
  leader.land();
  EXPECT_TRUE(flights.board(hashed("key")).leads());
}

TEST(SingleFlight, LandingCanBeNoticed) {
  Flights flights;
  const auto before = flights.landed(hashed("key"));
  auto leader = flights.board(hashed("key"));
  leader.flight().succeed(7);
  EXPECT_EQ(flights.landed(hashed("key")), before);
  leader.land();
  EXPECT_NE(flights.landed(hashed("key")), before);
}

TEST(SingleFlight, OthersLandingsAreSeldomTakenForOnesOwn) {
  Flights flights;
  std::vector<std::string> names;
  for (int i = 0; i < 1'000; ++i) names.push_back("key " + std::to_string(i));
  std::vector<std::uint64_t> before;
  for (const Key name : names) before.push_back(flights.landed(hashed(name)));
  for (int i = 0; i < 64; ++i) {
    const std::string other = "other " + std::to_string(i);
    flights.board(hashed(other)).land();
  }
  int moved = 0;
  for (std::size_t i = 0; i < names.size(); ++i) {
    moved += flights.landed(hashed(names[i])) != before[i] ? 1 : 0;
  }
  EXPECT_LT(moved, 100);  // 16 are expected
}

TEST(SingleFlight, AWaiterLeavesWhenItsContextIsOver) {
  Flights flights;
  auto leader = flights.board(hashed("key"));
  const auto other = flights.board(hashed("key"));
  EXPECT_THROW(other.flight().wait(CallContext::within(std::chrono::milliseconds(1))), CallAborted);
  leader.flight().succeed(7);
  EXPECT_EQ(other.flight().wait(), 7);
}

TEST(SingleFlight, AFailureReachesEveryoneAboard) {
  Flights flights;
  const auto leader = flights.board(hashed("key"));
  const auto other = flights.board(hashed("key"));
  leader.flight().fail(std::make_exception_ptr(std::out_of_range("no")));
  EXPECT_THROW(leader.flight().wait(), std::out_of_range);
  EXPECT_THROW(other.flight().wait(), std::out_of_range);
}

TEST(SingleFlight, TheFirstEndCounts) {
  Flights flights;
  const auto leader = flights.board(hashed("key"));
  leader.flight().succeed(1);
  leader.flight().succeed(2);
  leader.flight().fail(std::make_exception_ptr(std::out_of_range("no")));
  EXPECT_EQ(leader.flight().wait(), 1);
}

TEST(SingleFlight, ALeaderThatLeavesKeepsNobodyWaiting) {
  Flights flights;
  auto leader = std::optional(flights.board(hashed("key")));
  const auto other = flights.board(hashed("key"));
  leader.reset();
  EXPECT_THROW(other.flight().wait(), FlightAbandoned);
  EXPECT_TRUE(flights.board(hashed("key")).leads());
}

// Nobody who comes after a failure is told of it, so those who are told of it and ask again do not
// meet the flight that failed.
TEST(SingleFlight, AFailureIsToldOnceNobodyBoardsItAnyMore) {
  constexpr int kRounds = 20'000;
  Flights flights;
  std::barrier step(2);
  int met_again = 0;
  run_threads(2, [&](int who) {
    for (int round = 0; round < kRounds; ++round) {
      std::optional<Flights::Ticket> ticket;
      if (who == 0) ticket.emplace(flights.board(hashed("key")));
      step.arrive_and_wait();
      if (who == 1) ticket.emplace(flights.board(hashed("key")));
      step.arrive_and_wait();
      if (who == 1) {
        EXPECT_THROW(ticket->flight().wait(), FlightAbandoned);
        met_again += flights.board(hashed("key")).leads() ? 0 : 1;
      }
      ticket.reset();
      step.arrive_and_wait();
    }
  });
  EXPECT_EQ(met_again, 0);
}

TEST(SingleFlight, ADetachedFlightAnswersButDoesNotWrite) {
  Flights flights;
  auto old = flights.board(hashed("key"));
  const auto aboard = flights.board(hashed("key"));
  flights.detach(hashed("key"));
  auto fresh = flights.board(hashed("key"));
  EXPECT_TRUE(fresh.leads());

  int writes = 0;
  if (old.flight().succeed_and_write(1)) ++writes;
  old.land();
  EXPECT_EQ(aboard.flight().wait(), 1);
  EXPECT_EQ(writes, 0);

  // The old one has not landed the new one.
  EXPECT_FALSE(flights.board(hashed("key")).leads());
  if (fresh.flight().succeed_and_write(2)) {
    ++writes;
    fresh.flight().end_write();
  }
  EXPECT_EQ(writes, 1);
}

TEST(SingleFlight, AWriteUnderWayIsWaitedFor) {
  for (int round = 0; round < 50; ++round) {
    Flights flights;
    auto leader = flights.board(hashed("key"));
    std::atomic<bool> writing = false;
    bool written = false;
    bool seen_by_detacher = true;
    std::thread detacher([&] {
      while (!writing) std::this_thread::yield();
      flights.detach(hashed("key"));
      EXPECT_TRUE(flights.wait_for_late_writes(hashed("key"), {}));
      seen_by_detacher = written;
    });
    ASSERT_TRUE(leader.flight().succeed_and_write(7));
    writing = true;
    for (int i = 0; i < 10; ++i) std::this_thread::yield();
    written = true;
    leader.flight().end_write();
    detacher.join();
    EXPECT_TRUE(seen_by_detacher);
  }
}

TEST(SingleFlight, ALateWriteIsEverybodysUntilItEnds) {
  Flights flights;
  auto leader = flights.board(hashed("key"));
  auto other = flights.board(hashed("other"));
  ASSERT_TRUE(leader.flight().succeed_and_write(7));
  ASSERT_TRUE(other.flight().succeed_and_write(7));
  EXPECT_FALSE(flights.is_written_late(hashed("key"))) << "nobody detached it";
  flights.detach(hashed("key"));
  flights.detach(hashed("other"));
  for (int i = 0; i < 2; ++i) {  // whoever detached it
    EXPECT_TRUE(flights.is_written_late(hashed("key")));
    const auto hurry = CallContext::within(std::chrono::milliseconds(1));
    EXPECT_FALSE(flights.wait_for_late_writes(hashed("key"), hurry));
    flights.detach(hashed("key"));
  }
  leader.flight().end_write();
  EXPECT_FALSE(flights.is_written_late(hashed("key")));
  EXPECT_TRUE(flights.wait_for_late_writes(hashed("key"), {}));
  leader.land();
  EXPECT_TRUE(flights.is_written_late(hashed("other")));
  other.flight().end_write();
  other.land();
  EXPECT_FALSE(flights.is_written_late(hashed("other")));
  EXPECT_TRUE(flights.board(hashed("key")).leads());
}

// Everybody looks, boards, looks again when told to, and the leader writes: one flight a round.
TEST(SingleFlight, ManyThreadsFlyOnce) {
  Flights flights;
  for (int round = 0; round < 50; ++round) {
    const std::string key = "key " + std::to_string(round);
    std::atomic<int> cache = 0;
    std::atomic<int> flown = 0;
    std::atomic<int> sum = 0;
    run_threads(8, [&](int) {
      const auto landed = flights.landed(hashed(key));
      int answer = cache;
      if (answer == 0) {
        auto ticket = flights.board(hashed(key));
        if (!ticket.leads()) {
          answer = ticket.flight().wait();
        } else {
          if (flights.landed(hashed(key)) != landed) answer = cache;
          if (answer == 0) {
            ++flown;
            answer = 7;
          }
          ticket.flight().succeed(answer);
          cache = answer;
          ticket.land();
        }
      }
      sum += answer;
    });
    EXPECT_EQ(flown, 1);
    EXPECT_EQ(sum, 8 * 7);
  }
}

}  // namespace
}  // namespace bloomery
