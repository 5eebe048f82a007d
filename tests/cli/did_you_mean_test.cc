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

TEST(DidYouMean, KnowsTheWordsOfOtherPrograms) {
  EXPECT_EQ(did_you_mean("contains", kNames), "; did you mean check?");
  EXPECT_EQ(did_you_mean("new", kNames), "; did you mean create?");
  EXPECT_EQ(did_you_mean("version", kNames), "; did you mean --version?");
  EXPECT_EQ(did_you_mean("add", kNames), "") << "no command here inserts";
  const std::vector<std::string> options{"--capacity", "--rate", "--field"};
  EXPECT_EQ(did_you_mean("--error", options), "; did you mean --rate?");
  EXPECT_EQ(did_you_mean("--file", options), "; did you mean --field?");
  const std::vector<std::string> erases{"erase", "destroy"};
  EXPECT_EQ(did_you_mean("delete", erases),
            "; did you mean erase (of a key) or destroy (of a filter)?");
}

}  // namespace
}  // namespace bloomery::cli
