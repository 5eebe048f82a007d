// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bloomery/filter/filter_kinds.h"
#include "bloomery/store/native_file.h"
#include "tests/cli/shell.h"

namespace bloomery {
namespace {

using ::testing::HasSubstr;
using testing::numbered_lines;
using testing::Outcome;
using testing::Shell;

// A database with 900 names and 100 NULLs.
constexpr const char* kMakeUsers =
    "sqlite3 shop.db \"create table users(id integer primary key, name text);"
    "insert into users select value, case when value % 10 = 0 then null else 'user' || value end"
    " from generate_series(1, 1000)\"";

TEST(Load, SizesTheFilterByTheKeysOfAFile) {
  const Shell shell;
  shell.write("keys.txt", numbered_lines("k", 5'000) + "last, without newline");
  const Outcome outcome = shell.run("bloomery load keys.txt f.bloom --json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.json().at("key_count"), 5'001);
  EXPECT_EQ(outcome.json().at("capacity"), 5'001);
  EXPECT_EQ(outcome.json().at("false_positive_rate"), 0.01);
  EXPECT_LE(outcome.json().at("predicted_rate"), 0.0105);
  EXPECT_EQ(shell.run("bloomery check f.bloom -c --input keys.txt").out, "5001\n");
}

TEST(Load, ReadsADatabaseAndReportsNulls) {
  const Shell shell;
  ASSERT_EQ(shell.run(kMakeUsers).status, 0);
  const Outcome outcome = shell.run(
      "bloomery load 'sqlite:shop.db?table=users&column=name' f.bloom -p 1e-9 --kind classic "
      "--json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.json().at("key_count"), 900);
  EXPECT_EQ(outcome.json().at("null_count"), 100);
  EXPECT_EQ(outcome.json().at("inserted"), 900);
  EXPECT_EQ(outcome.json().at("kind"), "classic");
  EXPECT_THAT(outcome.err, HasSubstr("100 rows had no key"));
  const AnyFilter filter = load(shell.path("f.bloom"));
  EXPECT_TRUE(filter.may_contain("user999"));
  EXPECT_FALSE(filter.may_contain("user1000"));
}

// A table grows, so the filter of one has room for more rows than there are.
TEST(Load, MakesRoomForMoreRowsOfADatabase) {
  const Shell shell;
  ASSERT_EQ(shell.run(kMakeUsers).status, 0);
  const std::string load =
      "bloomery load 'sqlite:shop.db?table=users&column=name' f.bloom --replace ";
  const nlohmann::json usual = shell.run(load + "--json").json();
  EXPECT_EQ(usual.at("capacity"), 1'500) << "for all rows, as they are counted";
  EXPECT_EQ(usual.at("growth"), 1.5);
  EXPECT_GE(usual.at("room_count"), 600);
  EXPECT_LE(usual.at("room_count"), 610);
  EXPECT_GE(shell.run("bloomery info --json f.bloom").json().at("room_count"), 600);
  EXPECT_THAT(shell.run(load).out, HasSubstr("1.5: room for 50 % more keys than were counted"));
  EXPECT_EQ(shell.run(load + "-n +20% --json").json().at("capacity"), 1'200);
  EXPECT_EQ(shell.run(load + "-n +0% --json").json().at("capacity"), 1'000);
  const nlohmann::json said = shell.run(load + "-n 2000 --json").json();
  EXPECT_EQ(said.at("capacity"), 2'000);
  EXPECT_FALSE(said.contains("growth"));
  // Static and scalable filters get no spare room.
  EXPECT_EQ(shell.run(load + "--kind static --json").json().at("capacity"), 900);
  EXPECT_EQ(shell.run(load + "--kind scalable --json").json().at("capacity"), 1'000);
}

// The report on a filter of another kind says what becomes of more keys there, and nothing else.
TEST(Load, SaysWhatBecomesOfMoreKeysThanWereCounted) {
  const Shell shell;
  ASSERT_EQ(shell.run(kMakeUsers).status, 0);
  const std::string load =
      "bloomery load 'sqlite:shop.db?table=users&column=name' f.bloom --replace ";
  const std::string counted = "1: made for as many keys as were counted or estimated";
  EXPECT_THAT(shell.run(load + "--kind scalable").out,
              HasSubstr(counted + "; it grows when more come\n"));
  EXPECT_THAT(shell.run(load + "--kind windowed --window 1h").out,
              HasSubstr(counted + " within a window\n"));
  EXPECT_THAT(shell.run(load + "--kind static").out, HasSubstr(counted + "; it takes no more\n"));
  // Lines of a large text are estimated, so there may be room.
  const Outcome text = shell.run("seq 100000 >big.txt && bloomery load big.txt g.bloom");
  EXPECT_THAT(text.out, HasSubstr(counted + "\n"));
  EXPECT_EQ(text.out.find("no room"), std::string::npos);
  for (const char* const command : {"load", "push"}) {
    EXPECT_THAT(shell.run(std::string("bloomery ") + command + " --help").out,
                HasSubstr("grows, forgets or"));
  }
}

TEST(Load, MakesTheRoomThatIsAskedFor) {
  const Shell shell;
  shell.write("keys.txt", numbered_lines("k", 1'000));
  EXPECT_EQ(shell.run("bloomery load keys.txt f.bloom -n +20% --json").json().at("capacity"),
            1'200);
  for (const char* const wrong : {"+", "+%", "+20", "+-1%", "+1001%", "+x%", "+1e2%", "20%"}) {
    const Outcome outcome = shell.run(std::string("bloomery load keys.txt g.bloom -n ") + wrong);
    EXPECT_EQ(outcome.status, 2) << wrong;
    EXPECT_FALSE(shell.has("g.bloom"));
  }
  EXPECT_THAT(shell.run("bloomery load keys.txt g.bloom -n +20").err, HasSubstr("+0% to +1000%"));
  const Outcome fixed = shell.run("bloomery load keys.txt g.bloom -n +20% --kind static");
  EXPECT_EQ(fixed.status, 2);
  EXPECT_THAT(fixed.err, HasSubstr("takes no more keys"));
}

TEST(Load, ReplacesNoFileThatIsNoFilter) {
  const Shell shell;
  shell.write("keys.txt", "alice\n");
  shell.write("poem.txt", "no filter\n");
  shell.write("short.txt", "x");
  for (const char* const other : {"poem.txt", "short.txt"}) {
    const std::string before = shell.read(other);
    const Outcome outcome =
        shell.run(std::string("bloomery load keys.txt ") + other + " -n 10 --replace");
    EXPECT_EQ(outcome.status, 2) << other;
    EXPECT_THAT(outcome.err, HasSubstr("is no filter, which --replace does not replace either"));
    EXPECT_EQ(shell.read(other), before);
  }
  // An empty file has nothing to lose, and a filter is what --replace is for.
  shell.write("new.bloom", "");
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(shell.run("bloomery load keys.txt new.bloom -n 10").status, 2);
    EXPECT_EQ(shell.run("bloomery load keys.txt new.bloom -n 10 --replace").status, 0);
  }
}

TEST(Load, ReadsAQuery) {
  const Shell shell;
  ASSERT_EQ(shell.run(kMakeUsers).status, 0);
  const Outcome outcome = shell.run(
      "bloomery load 'sqlite:shop.db?query=SELECT id FROM users WHERE id <= 10' f.bloom -p 1e-9 "
      "--as u64 --json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.json().at("key_count"), 10);
  EXPECT_TRUE(load(shell.path("f.bloom")).may_contain(Key("\x0a\0\0\0\0\0\0\0", 8)));
}

TEST(Load, NeedsACapacityForAPipe) {
  const Shell shell;
  const Outcome unknown = shell.run("seq 10 | bloomery load - f.bloom");
  EXPECT_EQ(unknown.status, 2);
  EXPECT_THAT(unknown.err, HasSubstr("-n"));
  EXPECT_FALSE(shell.has("f.bloom"));
  EXPECT_EQ(shell.run("seq 10 | bloomery load - f.bloom -n 10").status, 0);
  const Outcome overfull = shell.run("seq 1000 | bloomery load - g.bloom -n 10");
  EXPECT_EQ(overfull.status, 0);
  EXPECT_THAT(overfull.err, HasSubstr("more than its capacity of 10"));
}

TEST(Load, LeavesTheKeysFileAlone) {
  const Shell shell;
  shell.write("keys.txt", "one\n");
  const Outcome outcome = shell.run("bloomery load keys.txt ./keys.txt --replace");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.err, "bloomery: ./keys.txt: the keys are in this file\n");
  EXPECT_EQ(shell.read("keys.txt"), "one\n");
}

TEST(Load, NamesThatNoFileCanHave) {
  const Shell shell;
  shell.write("keys.txt", "one\n");
  const std::string much(300, 'x');
  for (const char* const command : {"create -n 10 -p 0.01", "insert", "load keys.txt"}) {
    const std::string begin = std::string("bloomery ") + command;
    const Outcome empty = shell.run(begin + " '' <keys.txt");
    EXPECT_EQ(empty.status, 2);
    EXPECT_THAT(empty.err, HasSubstr("which file? Its name is empty"));
    const Outcome long_name = shell.run(begin + " " + much + " <keys.txt");
    EXPECT_EQ(long_name.status, 2);
    EXPECT_THAT(long_name.err, ::testing::StartsWith("bloomery: " + much + ": "));
    EXPECT_THAT(long_name.err, HasSubstr("File name too long"));
  }
}

TEST(Load, OfNothingIsNone) {
  const Shell shell;
  shell.write("empty.txt", "");
  EXPECT_EQ(shell.run("bloomery load empty.txt f.bloom").status, 1);
  EXPECT_EQ(shell.run("bloomery check f.bloom", "a\n").status, 1);
}

TEST(Load, ReplacesOnlyWhereAsked) {
  const Shell shell;
  shell.write("old.txt", "old\n");
  shell.write("new.txt", "new\n");
  ASSERT_EQ(shell.run("bloomery load old.txt f.bloom -p 1e-9").status, 0);
  EXPECT_THAT(shell.run("bloomery load new.txt f.bloom").err, HasSubstr("--replace"));
  EXPECT_TRUE(load(shell.path("f.bloom")).may_contain("old"));
  EXPECT_EQ(shell.run("bloomery load new.txt f.bloom -p 1e-9 --replace").status, 0);
  EXPECT_TRUE(load(shell.path("f.bloom")).may_contain("new"));
  EXPECT_FALSE(load(shell.path("f.bloom")).may_contain("old"));
}

TEST(Load, LooksForTheFolderBeforeItReadsKeys) {
  Shell shell;
  shell.run("mkfifo pipe");  // nobody ever writes into it
  const Outcome outcome = shell.run("timeout 20 bloomery load - nowhere/x.bloom -n 100 <>pipe");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.err,
            "bloomery: nowhere/x.bloom: cannot open its folder: No such file or directory\n");
}

TEST(Load, ExplainsWhatItCannotRead) {
  const Shell shell;
  ASSERT_EQ(shell.run(kMakeUsers).status, 0);
  shell.write("keys.txt", "1\ntwo\n");
  const auto refusal = [&](const std::string& arguments) {
    const Outcome outcome = shell.run("bloomery load " + arguments);
    EXPECT_EQ(outcome.status, 2) << arguments;
    EXPECT_EQ(outcome.out, "") << arguments;
    EXPECT_FALSE(shell.has("f.bloom")) << arguments;
    return outcome.err;
  };
  EXPECT_THAT(refusal("'sqlite:shop.db?table=user&column=id' f.bloom"), HasSubstr("\"users\""));
  EXPECT_THAT(refusal("'sqlite:shop.db?table=users&column=nick' f.bloom"), HasSubstr("\"name\""));
  EXPECT_THAT(refusal("'sqlite:none.db?table=users&column=id' f.bloom"), HasSubstr("none.db"));
  EXPECT_THAT(refusal("'sqlite:keys.txt?table=users&column=id' f.bloom"), HasSubstr("keys.txt"));
  EXPECT_THAT(refusal("'sqlite:shop.db' f.bloom"), HasSubstr("table"));
  EXPECT_THAT(refusal("missing.txt f.bloom"), HasSubstr("missing.txt"));
  EXPECT_THAT(refusal("keys.txt f.bloom --as u64"), HasSubstr("keys.txt:2: \"two\""));
  EXPECT_THAT(refusal("keys.txt f.bloom -p 0"), HasSubstr("-p: "));
  EXPECT_THAT(refusal("keys.txt f.bloom -n 1e15"), HasSubstr("this machine has"));
  refusal("keys.txt");
}

TEST(Load, ReadsCompressedKeysAndSkipsAHeading) {
  const Shell shell;
  const Outcome made = shell.run(
      "{ echo id,name; seq 1000 | sed 's/.*/&,user&/'; } | gzip >users.csv.gz\n"
      "bloomery load users.csv.gz users.bloom -p 1e-9 --csv -F 2 --skip-header --json");
  ASSERT_EQ(made.status, 0) << made.err;
  EXPECT_EQ(made.json().at("inserted"), 1000);
  EXPECT_EQ(shell.run("seq 1000 | sed s/^/user/ | gzip | bloomery check users.bloom -q").status, 0);
  EXPECT_EQ(shell.run("seq 1000 | sed s/^/user/ | bloomery check users.bloom | wc -l").out,
            "1000\n");
  const Outcome cut = shell.run(
      "head -c 500 users.csv.gz >cut.csv.gz\nbloomery load cut.csv.gz cut.bloom --csv -F 2");
  EXPECT_EQ(cut.status, 2);
  EXPECT_THAT(cut.err, HasSubstr("cut.csv.gz: ends within its gzip stream"));
  EXPECT_FALSE(shell.has("cut.bloom"));
}

}  // namespace
}  // namespace bloomery
