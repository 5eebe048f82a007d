// SPDX-License-Identifier: Apache-2.0
#include "cli/did_you_mean.h"

#include <gtest/gtest.h>

#include <vector>

namespace bloomery::cli {
namespace {

const std::vector<std::string> kNames{"create", "check", "convert", "calc", "merge", "measure"};

TEST(DidYouMean, FindsTheNameOfASlip) {
  EXPECT_EQ(nearest_name("clac", kNames), "calc");         // exchanged
  EXPECT_EQ(nearest_name("creat", kNames), "create");      // begun
  EXPECT_EQ(nearest_name("meassure", kNames), "measure");  // added
  EXPECT_EQ(nearest_name("mrge", kNames), "merge");        // left out
  EXPECT_EQ(nearest_name("covnret", kNames), "convert");   // two slips in seven letters
}

TEST(DidYouMean, GuessesNothingElse) {
  EXPECT_EQ(nearest_name("frob", kNames), std::nullopt);
  EXPECT_EQ(nearest_name("cc", kNames), std::nullopt);
  EXPECT_EQ(nearest_name("c", kNames), std::nullopt);
  EXPECT_EQ(nearest_name("", kNames), std::nullopt);
  EXPECT_EQ(nearest_name("me", kNames), std::nullopt) << "merge or measure";
  EXPECT_EQ(nearest_name(std::string(100'000, 'c'), kNames), std::nullopt);
  EXPECT_EQ(did_you_mean("frob", kNames), "");
  EXPECT_EQ(did_you_mean("clac", kNames), "; did you mean calc?");
}

}  // namespace
}  // namespace bloomery::cli
