// SPDX-License-Identifier: Apache-2.0
// bloomery check --behind: "absent" by what the database has when the record is read.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/cli/shell.h"

namespace bloomery {
namespace {

using ::testing::HasSubstr;
using testing::Outcome;
using testing::Shell;

class CheckBehind : public ::testing::Test {
 protected:
  CheckBehind() {
    sql("CREATE TABLE users(id TEXT); INSERT INTO users VALUES('ann'),('bob')");
    EXPECT_EQ(follow().status, 0);
  }
  void sql(const std::string& statements) {
    EXPECT_EQ(shell_.run("sqlite3 shop.db \"" + statements + "\"").status, 0);
  }
  Outcome follow() { return shell_.run("bloomery follow " + kSource + " ids.bloom --once"); }
  Outcome check(const std::string& options, const std::string& keys) {
    return shell_.run("bloomery check " + options, keys);
  }

  const std::string kSource = "'sqlite:shop.db?table=users&column=id'";
  Shell shell_;
};

TEST_F(CheckBehind, DeniesWhatTheDatabaseHadNot) {
  const Outcome absent = check("ids.bloom -v --behind " + kSource, "ann\nzoe\nbob\n");
  EXPECT_EQ(absent.out, "zoe\n") << absent.err;
  EXPECT_EQ(absent.status, 0);
  EXPECT_EQ(check("ids.bloom --behind " + kSource, "ann\nzoe\n").out, "ann\n");
}

TEST_F(CheckBehind, KnowsNothingOfWhatTheFilterLacksYet) {
  sql("INSERT INTO users VALUES('zoe')");
  EXPECT_EQ(check("ids.bloom -v", "zoe\n").out, "zoe\n") << "without a fence it is denied";
  const Outcome behind = check("ids.bloom -v --behind " + kSource, "ann\nzoe\n");
  EXPECT_EQ(behind.out, "");
  EXPECT_EQ(behind.status, 2);
  EXPECT_THAT(behind.err, HasSubstr("it is behind its database"));
  EXPECT_EQ(check("ids.bloom --behind " + kSource, "ann\nzoe\n").out, "ann\nzoe\n");
  EXPECT_EQ(follow().status, 0);
  EXPECT_EQ(check("ids.bloom -v --behind " + kSource, "ann\nzoe\nyan\n").out, "yan\n");
}

TEST_F(CheckBehind, OfSeveralFiltersAllHaveToHaveCome) {
  EXPECT_EQ(shell_.run("cp ids.bloom old.bloom").status, 0);
  EXPECT_EQ(check("ids.bloom old.bloom -v --behind " + kSource, "zoe\n").out, "zoe\n");
  sql("INSERT INTO users VALUES('zoe')");
  EXPECT_EQ(follow().status, 0);
  const Outcome behind = check("ids.bloom old.bloom -v --behind " + kSource, "yan\n");
  EXPECT_EQ(behind.out, "");
  EXPECT_EQ(behind.status, 2);
}

TEST_F(CheckBehind, SaysWhyNothingIsDenied) {
  EXPECT_EQ(shell_.run("printf 'ann\\n' | bloomery load - plain.bloom -n 100").status, 0);
  const Outcome plain = check("plain.bloom -v --behind " + kSource, "zoe\n");
  EXPECT_EQ(plain.status, 2);
  EXPECT_THAT(plain.err, HasSubstr("it has no watermark; bloomery follow keeps one"));
  sql("CREATE TABLE others(id TEXT)");
  EXPECT_EQ(
      shell_.run("bloomery follow 'sqlite:shop.db?table=others&column=id' o.bloom --once").status,
      0);
  const Outcome other = check("o.bloom -v --behind " + kSource, "zoe\n");
  EXPECT_EQ(other.status, 2);
  EXPECT_THAT(other.err, HasSubstr("of another database or table"));
}

TEST_F(CheckBehind, TakesTheFollowersSlot) {
  EXPECT_EQ(shell_.run("bloomery follow " + kSource + " slot.bloom --slot two --once").status, 0);
  const Outcome absent = check("slot.bloom -v --behind " + kSource + " --slot two", "zoe\n");
  EXPECT_EQ(absent.out, "zoe\n") << absent.err;
  EXPECT_EQ(check("ids.bloom --slot two", "ann\n").status, 2) << "of no source";
}

TEST_F(CheckBehind, RefusesWhatIsNoTable) {
  for (const char* source :
       {"keys.txt", "sqlite:shop.db?table=nobody", "sqlite:no.db?table=users", "redis://x#f"}) {
    const Outcome refused = check(std::string("ids.bloom --behind '") + source + "'", "ann\n");
    EXPECT_EQ(refused.status, 2) << source;
    EXPECT_EQ(refused.out, "") << source;
    EXPECT_NE(refused.err, "") << source;
  }
}

}  // namespace
}  // namespace bloomery
