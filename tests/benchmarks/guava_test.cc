// SPDX-License-Identifier: Apache-2.0
#include "benchmarks/peers/guava.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <stdexcept>

namespace bloomery::bench {
namespace {

using testing::HasSubstr;

constexpr const char* kOutput =
    "warning: a word from the machine\n"
    R"({"operation":"insert_one","cpu_ns":30.0,"wall_ns":31.0})"
    "\n"
    R"({"operation":"insert_one","cpu_ns":10.0,"wall_ns":11.0})"
    "\n"
    R"({"operation":"insert_one","cpu_ns":20.0,"wall_ns":21.0})"
    "\n"
    R"({"operation":"absent_one","cpu_ns":5.0,"wall_ns":5.5})"
    "\n";

RowResult asked() {
  RowResult result;
  result.row = "Guava";
  result.asked_rate = 0.01;
  return result;
}

TEST(Guava, TakesMediansAndCounts) {
  RowResult result = asked();
  read_guava(std::string(kOutput) +
                 R"({"strangers":1000000,"positives":10050,"lost":0,"byte_count":1200})",
             1'000, result);
  EXPECT_EQ(result.verdict, Verdict::kept);
  EXPECT_DOUBLE_EQ(result.measured_rate, 0.01005);
  EXPECT_DOUBLE_EQ(result.bits_per_key, 9.6);
  EXPECT_EQ(result.timing(Operation::insert_one)->cpu_ns, 20);
  EXPECT_EQ(result.timing(Operation::insert_one)->wall_ns, 21);
  EXPECT_EQ(result.timing(Operation::absent_one)->cpu_ns, 5);
  EXPECT_FALSE(result.timing(Operation::present_one));
  EXPECT_FALSE(result.timing(Operation::insert_batch));
}

TEST(Guava, IsJudgedLikeAllOthers) {
  RowResult result = asked();
  read_guava(R"({"strangers":1000000,"positives":10600,"lost":0,"byte_count":1200})", 1'000,
             result);
  EXPECT_EQ(result.verdict, Verdict::exceeds_rate);
  read_guava(R"({"strangers":1000000,"positives":10000,"lost":2,"byte_count":1200})", 1'000,
             result);
  EXPECT_EQ(result.verdict, Verdict::loses_keys);
}

TEST(Guava, RefusesOutputWithoutFigures) {
  RowResult result = asked();
  for (const char* output : {"", kOutput, "{\"strangers\":1}", "{", "{\"operation\":\"fly\"}"}) {
    EXPECT_THROW(read_guava(output, 1'000, result), std::runtime_error) << output;
  }
  try {
    read_guava("error: cannot compile\n  at line 1\n", 1'000, result);
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "error: cannot compile");
  }
}

TEST(Guava, SaysHowToInstallWhatIsNotThere) {
  const std::string path = std::getenv("PATH");
  setenv("PATH", "/nonexistent", 1);
  RowResult result = asked();
  measure_guava({"smoke", 2'000}, Settings{}, result);
  EXPECT_EQ(result.verdict, Verdict::left_out);
  EXPECT_THAT(result.note, HasSubstr("not installed: apt install"));
  setenv("PATH", path.c_str(), 1);
}

TEST(Guava, IsMeasuredWhereItIsInstalled) {
  Settings settings;
  settings.smoke = true;
  settings.repetitions = 2;
  RowResult result = asked();
  measure_guava({"smoke", 2'000}, settings, result);
  if (result.note.starts_with("not installed")) GTEST_SKIP() << result.note;
  EXPECT_EQ(result.verdict, Verdict::kept) << result.note;
  EXPECT_EQ(result.trials, 4'000);
  EXPECT_GT(result.measured_rate, 0);
  // Guava's own formula, in whole words: 9.585 bits a key.
  EXPECT_NEAR(result.bits_per_key, 9.6, 0.1);
  for (const auto operation :
       {Operation::insert_one, Operation::absent_one, Operation::present_one}) {
    EXPECT_TRUE(result.timing(operation));
  }
}

}  // namespace
}  // namespace bloomery::bench
