// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/shell.h"

namespace bloomery {
namespace {

using ::testing::HasSubstr;
using testing::Shell;

TEST(Erase, TakesOutWhatWasInserted) {
  const Shell shell;
  for (const char* const kind : {"counting", "classic-counting"}) {
    const std::string file = std::string(kind) + ".bloom";
    EXPECT_EQ(shell.run("bloomery create " + file + " -n 1K -p 1e-6 --kind " + kind).status, 0);
    EXPECT_EQ(shell.run("bloomery insert " + file, "alice\nbob\nalice\n").status, 0);
    const auto erased = shell.run("bloomery erase " + file + " --json", "alice\nbob\nnobody\n");
    EXPECT_EQ(erased.status, 0);
    EXPECT_EQ(erased.json().at("erased_count"), 2);
    EXPECT_EQ(erased.json().at("absent_count"), 1);
    EXPECT_EQ(shell.run("bloomery check " + file, "alice\nbob\n").out, "alice\n");
    EXPECT_EQ(shell.run("bloomery erase " + file, "bob\n").status, 1);
    EXPECT_EQ(shell.run("bloomery erase " + file, "alice\n").status, 0);
    EXPECT_EQ(shell.run("bloomery check " + file, "alice\nbob\n").status, 1);
  }
}

TEST(Erase, RefusesFiltersOfBits) {
  const Shell shell;
  shell.run("bloomery create f.bloom -n 1K -p 0.01");
  const auto refused = shell.run("bloomery erase f.bloom", "alice\n");
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.err, HasSubstr("f.bloom: is a blocked filter; only counting"));
}

}  // namespace
}  // namespace bloomery
