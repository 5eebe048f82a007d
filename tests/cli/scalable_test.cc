// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/shell.h"

namespace bloomery {
namespace {

using ::testing::HasSubstr;
using testing::numbered_lines;
using testing::Shell;

TEST(Scalable, GrowsInItsFile) {
  const Shell shell;
  EXPECT_EQ(shell.run("bloomery create f.bloom -n 10 -p 0.001 --kind scalable").status, 0);
  EXPECT_EQ(shell.run("bloomery insert f.bloom", numbered_lines("a", 5'000)).status, 0);
  EXPECT_EQ(shell.run("bloomery insert f.bloom", numbered_lines("b", 5'000)).status, 0);
  EXPECT_EQ(shell.run("bloomery check f.bloom -c", numbered_lines("a", 5'000)).out, "5000\n");
  EXPECT_EQ(shell.run("bloomery check f.bloom -c", numbered_lines("b", 5'000)).out, "5000\n");
  const auto info = shell.run("bloomery info f.bloom --json");
  EXPECT_EQ(info.status, 0) << info.err;
  EXPECT_EQ(info.json().at("layers").size(), 4U);
  EXPECT_EQ(info.json().at("layer_count"), 4);
  EXPECT_LE(info.json().at("predicted_rate"), 0.001);
  EXPECT_THAT(shell.run("bloomery info f.bloom").out, HasSubstr("layer  capacity  inserted"));
}

TEST(Scalable, ExplainsEveryLayer) {
  const Shell shell;
  shell.run("bloomery create f.bloom -n 10 -p 0.001 --kind scalable");
  shell.run("bloomery insert f.bloom", numbered_lines("a", 1'000));
  const auto present = shell.run("bloomery explain f.bloom a7");
  EXPECT_EQ(present.status, 0);
  EXPECT_THAT(present.out, HasSubstr("all of its bits in one layer are set"));
  const auto absent = shell.run("bloomery explain f.bloom nobody");
  EXPECT_EQ(absent.status, 1);
  EXPECT_THAT(absent.out, HasSubstr("in each of 3 layers some of its bits are clear"));
}

TEST(Scalable, IsMeasuredWhileItGrows) {
  const Shell shell;
  const auto measured =
      shell.run("bloomery measure -n 100K -p 0.01 --kind scalable --grow-from 100 --json");
  EXPECT_EQ(measured.status, 0) << measured.err;
  EXPECT_EQ(measured.json().at("layer_count"), 6);
  EXPECT_LE(measured.json().at("measured_rate"), 0.01);
}

TEST(Scalable, ItsOptionsAreForItAlone) {
  const Shell shell;
  for (const char* const options : {"--expansion 2", "--tightening 0.5"}) {
    const auto refused = shell.run(std::string("bloomery create f.bloom -n 10 -p 0.1 ") + options);
    EXPECT_EQ(refused.status, 2);
    EXPECT_THAT(refused.err, HasSubstr("are for --kind scalable, not blocked"));
  }
  EXPECT_THAT(shell.run("bloomery create f.bloom -n 10 -p 0.1 --kind scalable --expansion 1").err,
              HasSubstr("from 1.1 to 64"));
  EXPECT_THAT(shell.run("bloomery create f.bloom -n 10 -p 0.1 --expansion x").err,
              HasSubstr("--expansion: \"x\" is not a number"));
  EXPECT_THAT(shell.run("bloomery measure -n 10 -p 0.1 --grow-from 1").err,
              HasSubstr("--grow-from is for --kind scalable"));
}

}  // namespace
}  // namespace bloomery
