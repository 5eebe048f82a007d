// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace bloomery {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;

class ProgressTest : public testing::Test {
 protected:
  Progress progress(Progress::Totals totals) {
    return {"load", totals, [this](std::string_view text) { shown_.emplace_back(text); },
            [this] { return now_; }};
  }

  std::chrono::steady_clock::time_point now_{seconds(1'000)};
  std::vector<std::string> shown_;
};

TEST_F(ProgressTest, TellsShareRateAndTimeLeft) {
  auto load = progress({.key_count = 10'000'000, .byte_count = {}});
  now_ += seconds(2);
  load.update(4'000'000);
  EXPECT_THAT(shown_, ElementsAre("\rload: 4M of 10M keys (40 %), 2M/s, 3 s left"));
}

TEST_F(ProgressTest, GoesByBytesWhereKeysAreUnknown) {
  auto load = progress({.key_count = {}, .byte_count = 1'000});
  now_ += seconds(10);
  load.update(50, 250);
  EXPECT_THAT(shown_, ElementsAre("\rload: 50 keys (25 %), 5/s, 30 s left"));
}

TEST_F(ProgressTest, PromisesNothingItDoesNotKnow) {
  auto load = progress({});
  now_ += seconds(1);
  load.update(3'200'000);
  EXPECT_THAT(shown_, ElementsAre("\rload: 3.2M keys, 3.2M/s"));
}

TEST_F(ProgressTest, ForgetsATotalThatWasTooLow) {
  auto load = progress({.key_count = 10, .byte_count = {}});
  now_ += seconds(1);
  load.update(11);
  EXPECT_THAT(shown_, ElementsAre("\rload: 11 keys, 11/s"));
}

TEST_F(ProgressTest, SpeaksAtMostTenTimesASecond) {
  auto load = progress({});
  for (std::uint64_t i = 0; i < 10'000; ++i) {
    load.update(i);
    now_ += milliseconds(1);
  }
  EXPECT_EQ(shown_.size(), 99U);
}

TEST_F(ProgressTest, OverwritesTheLongerLineBefore) {
  auto load = progress({.key_count = 1'000, .byte_count = {}});
  now_ += seconds(1);
  load.update(500);
  now_ += seconds(1);
  load.update(1'001);
  ASSERT_EQ(shown_.size(), 2U);
  EXPECT_EQ(shown_[0], "\rload: 500 of 1K keys (50 %), 500/s, 1 s left");
  EXPECT_EQ(shown_[1], "\rload: 1K keys, 500/s                        ");
  EXPECT_EQ(shown_[0].size(), shown_[1].size());
}

TEST_F(ProgressTest, EndsWithWhatWasDone) {
  auto load = progress({});
  now_ += milliseconds(2'500);
  load.update(5'000'000);
  now_ += milliseconds(2'500);
  load.update(9'000'000);
  shown_.clear();
  load.finish();
  EXPECT_THAT(shown_, ElementsAre("\rload: 9M keys in 5 s, 1.8M/s\n"));
}

TEST_F(ProgressTest, ClearsItsLineForAMessage) {
  auto load = progress({});
  load.clear();
  EXPECT_THAT(shown_, IsEmpty());
  now_ += seconds(1);
  load.update(5);
  load.clear();
  EXPECT_EQ(shown_.back(), "\r" + std::string(17, ' ') + "\r");
}

TEST(FormatDuration, ChoosesUnitsPeopleRead) {
  using Seconds = std::chrono::duration<double>;
  EXPECT_EQ(format_duration(Seconds(-1)), "0.0 s");
  EXPECT_EQ(format_duration(Seconds(0.44)), "0.4 s");
  EXPECT_EQ(format_duration(Seconds(0.96)), "1 s");
  EXPECT_EQ(format_duration(Seconds(59.4)), "59 s");
  EXPECT_EQ(format_duration(Seconds(200)), "3 min 20 s");
  EXPECT_EQ(format_duration(Seconds(3900)), "1 h 5 min");
  EXPECT_EQ(format_duration(Seconds(1e30)), "for ever");
}

}  // namespace
}  // namespace bloomery
