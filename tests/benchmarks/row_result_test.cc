// SPDX-License-Identifier: Apache-2.0
#include "benchmarks/row_result.h"

#include <gtest/gtest.h>

namespace bloomery::bench {
namespace {

TEST(ExceedsRate, IsStrictWhereTrialsAreEnoughToTell) {
  EXPECT_FALSE(exceeds_rate(10'499, 1e6, 0.01));
  EXPECT_TRUE(exceeds_rate(10'501, 1e6, 0.01));
}

TEST(ExceedsRate, AllowsForLuckWhereTheyAreFew) {
  EXPECT_FALSE(exceeds_rate(13, 1'000, 0.01));
  EXPECT_FALSE(exceeds_rate(1, 1'000, 1e-9));
  EXPECT_TRUE(exceeds_rate(30, 1'000, 0.01));
}

TEST(ExceedsRate, ForgivesExactAnswersNothing) {
  EXPECT_FALSE(exceeds_rate(0, 1'000, 0));
  EXPECT_TRUE(exceeds_rate(1, 1'000, 0));
}

TEST(RowResult, JudgesWhatWasCounted) {
  RowResult row;
  row.asked_rate = 0.01;
  row.judge(1'000'000, 10'100, 0);
  EXPECT_EQ(row.verdict, Verdict::kept);
  EXPECT_FALSE(row.is_wrong());
  EXPECT_DOUBLE_EQ(row.measured_rate, 0.0101);
  EXPECT_EQ(row.trials, 1'000'000);

  row.judge(1'000'000, 10'600, 0);
  EXPECT_EQ(row.verdict, Verdict::exceeds_rate);
  EXPECT_TRUE(row.is_wrong());
  EXPECT_EQ(row.fault(), "its rate is 1.06 %, asked for 1 %");

  row.judge(1'000'000, 10'100, 1);
  EXPECT_EQ(row.verdict, Verdict::loses_keys);
  EXPECT_TRUE(row.is_wrong());
  EXPECT_EQ(row.fault(), "loses keys");
}

TEST(RowResult, IsNotWrongWhenLeftOut) {
  RowResult row;
  row.leave_out("slow");
  EXPECT_FALSE(row.is_wrong());
  EXPECT_EQ(row.note, "slow");
}

}  // namespace
}  // namespace bloomery::bench
