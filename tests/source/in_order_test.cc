// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/in_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

namespace bloomery {
namespace {

using testing::AllOf;
using testing::Ge;
using testing::Le;

// The numbers 0, 1, 2, ... as pieces; work squares them, and takes the longer the more a number
// says so.
class Squares {
 public:
  Squares(unsigned threads, int count) : slots_(slot_count(threads)), count_(count) {}

  OrderedSteps steps() {
    OrderedSteps steps;
    steps.begin = [this](std::size_t slot) {
      if (begun == count_) return false;
      slots_[slot] = begun++;
      most_under_way = std::max(most_under_way, begun - static_cast<int>(ended.size()));
      return true;
    };
    steps.work = [this](std::size_t slot) {
      for (int spin = slots_[slot] * 7919 % 5000; spin > 0; --spin) wasted_ += spin;
      slots_[slot] *= slots_[slot];
    };
    steps.end = [this](std::size_t slot) {
      ended.push_back(slots_[slot]);
      return true;
    };
    return steps;
  }

  int begun = 0;
  int most_under_way = 0;
  std::vector<int> ended;

 private:
  std::vector<int> slots_;
  int count_;
  std::atomic<int> wasted_ = 0;
};

std::vector<int> squares_below(int count) {
  std::vector<int> squares(static_cast<std::size_t>(count));
  std::iota(squares.begin(), squares.end(), 0);
  for (int& each : squares) each *= each;
  return squares;
}

class InOrder : public testing::TestWithParam<unsigned> {};

TEST_P(InOrder, EndsPiecesAsTheyBegin) {
  for (const int count : {0, 1, 2, 3, 1000}) {
    Squares squares(GetParam(), count);
    run_in_order(GetParam(), squares.steps());
    EXPECT_EQ(squares.ended, squares_below(count));
    EXPECT_LE(squares.most_under_way, static_cast<int>(slot_count(GetParam())));
  }
}

TEST_P(InOrder, EndsBeforeItWouldWait) {
  Squares squares(GetParam(), 100);
  OrderedSteps steps = squares.steps();
  steps.would_wait = [] { return true; };
  run_in_order(GetParam(), steps);
  EXPECT_EQ(squares.ended, squares_below(100));
  EXPECT_EQ(squares.most_under_way, 1);
}

TEST_P(InOrder, StopsWhereNoMoreIsWanted) {
  Squares squares(GetParam(), 100);
  OrderedSteps steps = squares.steps();
  steps.end = [&, end = steps.end](std::size_t slot) {
    return end(slot) && squares.ended.size() < 10;
  };
  run_in_order(GetParam(), steps);
  EXPECT_EQ(squares.ended, squares_below(10));
}

TEST_P(InOrder, ThrowsWhatAStepThrowsInItsTurn) {
  const auto run = [](const OrderedSteps& steps) { run_in_order(GetParam(), steps); };
  {
    Squares squares(GetParam(), 100);
    OrderedSteps steps = squares.steps();
    steps.begin = [&, begin = steps.begin](std::size_t slot) {
      if (squares.begun == 10) throw std::runtime_error("begin");
      return begin(slot);
    };
    EXPECT_THROW(run(steps), std::runtime_error);
    EXPECT_EQ(squares.ended, squares_below(10));
  }
  {
    Squares squares(GetParam(), 100);
    OrderedSteps steps = squares.steps();
    std::atomic<int> worked = 0;
    steps.work = [&, work = steps.work](std::size_t slot) {
      if (worked++ == 10) throw std::runtime_error("work");
      work(slot);
    };
    EXPECT_THROW(run(steps), std::runtime_error);
    EXPECT_THAT(static_cast<int>(squares.ended.size()), AllOf(Ge(0), Le(20)));
    EXPECT_TRUE(
        std::ranges::equal(squares.ended, squares_below(static_cast<int>(squares.ended.size()))));
  }
  {
    Squares squares(GetParam(), 100);
    OrderedSteps steps = squares.steps();
    steps.end = [&, end = steps.end](std::size_t slot) {
      if (squares.ended.size() == 10) throw std::runtime_error("end");
      return end(slot);
    };
    EXPECT_THROW(run(steps), std::runtime_error);
    EXPECT_EQ(squares.ended, squares_below(10));
  }
}

INSTANTIATE_TEST_SUITE_P(Threads, InOrder, testing::Values(1, 2, 3, 8));

// Two that wait for each other, one of them perhaps the caller's.
TEST(InOrderThreads, WorkTogether) {
  std::atomic<int> inside = 0;
  std::atomic<bool> met = false;
  int begun = 0;
  OrderedSteps steps;
  steps.begin = [&](std::size_t) { return begun++ < 2; };
  steps.work = [&](std::size_t) {
    ++inside;
    while (inside < 2 && !met) std::this_thread::yield();
    met = true;
  };
  steps.end = [](std::size_t) { return true; };
  run_in_order(2, steps);
  EXPECT_TRUE(met);
}

}  // namespace
}  // namespace bloomery
