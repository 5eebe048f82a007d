// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/shell.h"

namespace bloomery {
namespace {

using ::testing::HasSubstr;
using testing::numbered_lines;
using testing::Shell;

TEST(Static, IsLoadedAskedAndExplained) {
  const Shell shell;
  shell.write("keys.txt", numbered_lines("a", 1'000));
  const auto loaded = shell.run("bloomery load keys.txt f.bloom --kind static --json");
  EXPECT_EQ(loaded.status, 0) << loaded.err;
  EXPECT_LE(loaded.json().at("bits_per_key"), 9.8);
  EXPECT_EQ(shell.run("bloomery check f.bloom -c --input keys.txt").out, "1000\n");
  EXPECT_EQ(shell.run("bloomery explain f.bloom a7").status, 0);
  const auto info = shell.run("bloomery info f.bloom --json");
  EXPECT_EQ(info.json().at("kind"), "static");
  EXPECT_EQ(info.json().at("inserted"), 1'000);
  EXPECT_LE(info.json().at("predicted_rate"), 0.01);
}

TEST(Static, BecomesAFuseFilterWhereThatIsSmaller) {
  const Shell shell;
  shell.write("keys.txt", numbered_lines("a", 30'000));
  const auto loaded = shell.run("bloomery load keys.txt f.bloom --kind static --json");
  EXPECT_EQ(loaded.json().at("kind"), "fuse");
  EXPECT_EQ(loaded.json().at("fingerprint_bits"), 7);
  EXPECT_LE(loaded.json().at("bits_per_key"), 9.0);
  EXPECT_EQ(shell.run("bloomery check f.bloom -c --input keys.txt").out, "30000\n");
  EXPECT_THAT(shell.run("bloomery explain f.bloom a7").out, HasSubstr("agrees"));
  std::string strangers = numbered_lines("b", 30'000);
  const auto found = shell.run("bloomery check f.bloom -c", strangers);
  EXPECT_NEAR(std::stod(found.out), 30'000.0 / 128, 60);
  const auto few = shell.run("bloomery load - g.bloom --kind fuse --json", "alice\nbob\n");
  EXPECT_EQ(few.json().at("kind"), "fuse");
  EXPECT_EQ(shell.run("bloomery check g.bloom", "alice\nbob\n").out, "alice\nbob\n");
}

TEST(Static, CountsAKeyThatComesTwiceOnce) {
  const Shell shell;
  const auto lines = numbered_lines("a", 3'000);
  const auto loaded = shell.run("bloomery load - f.bloom --kind static --json", lines + lines);
  ASSERT_EQ(loaded.status, 0) << loaded.err;
  EXPECT_EQ(loaded.json().at("key_count"), 6'000);
  EXPECT_EQ(loaded.json().at("inserted"), 3'000);
  EXPECT_EQ(loaded.json().at("capacity"), 3'000);
}

TEST(Static, IsNotMadeEmptyNorChanged) {
  const Shell shell;
  const auto created = shell.run("bloomery create f.bloom -n 10 -p 0.1 --kind static");
  EXPECT_EQ(created.status, 2);
  EXPECT_THAT(created.err, HasSubstr("bloomery load builds it"));
  EXPECT_FALSE(shell.has("f.bloom"));
  shell.run("bloomery load - f.bloom -n 2 --kind static", "alice\nbob\n");
  const auto inserted = shell.run("bloomery insert f.bloom", "carol\n");
  EXPECT_EQ(inserted.status, 2);
  EXPECT_THAT(inserted.err, HasSubstr("f.bloom: is a static filter, built once"));
  EXPECT_EQ(shell.run("bloomery merge g.bloom f.bloom f.bloom").status, 2);
  EXPECT_FALSE(shell.has("g.bloom"));
}

}  // namespace
}  // namespace bloomery
