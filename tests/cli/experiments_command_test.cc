// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/shell.h"

namespace bloomery {
namespace {

using ::testing::HasSubstr;
using testing::Outcome;
using testing::Shell;

TEST(ExperimentsCommand, ShowsTheirFigureAndOursWithAVerdict) {
  const Outcome text = Shell().run("bloomery experiments --post 004");
  EXPECT_EQ(text.status, 0);
  EXPECT_THAT(text.out, HasSubstr("theirs  (3n/m)^3 = 4.57 %"));
  EXPECT_THAT(text.out, HasSubstr("ours    (1 - e^(-3n/m))^3 = 2.72 %"));
  EXPECT_THAT(text.out, HasSubstr("wrong "));

  const nlohmann::json figures =
      Shell().run("bloomery experiments --post 004 --json").json().at("figures");
  ASSERT_EQ(figures.size(), 2U);
  EXPECT_EQ(figures[0].at("post"), "004");
  EXPECT_EQ(figures[0].at("verdict"), "wrong");
}

TEST(ExperimentsCommand, RefusesAPostWithoutFigures) {
  const Outcome outcome = Shell().run("bloomery experiments --post 005");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("000 to 004, or claims"));
}

}  // namespace
}  // namespace bloomery
