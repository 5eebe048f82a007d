// SPDX-License-Identifier: Apache-2.0
// bloomery pull: a filter in a server as a file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/cli/pull_scene.h"

namespace bloomery {
namespace {

using ::testing::HasSubstr;
using testing::Outcome;

TEST_F(Pull, WritesTheFilterWithItsWatermark) {
  const Outcome pulled = shell_.run("bloomery pull " + at() + " pulled.bloom --json");
  ASSERT_EQ(pulled.status, 0) << pulled.err;
  EXPECT_EQ(pulled.json().at("kind"), "blocked");
  EXPECT_EQ(behind("ann\nzoe\nbob\n").out, "zoe\n");
  sql("INSERT INTO users VALUES('zoe')");
  EXPECT_EQ(behind("zoe\n").status, 2) << "the file is behind";
  follow();
  EXPECT_EQ(shell_.run("bloomery pull " + at() + " pulled.bloom").status, 0) << "the same filter";
  EXPECT_EQ(behind("zoe\nyan\n").out, "yan\n");
}

TEST_F(Pull, KeepsTheFileInStep) {
  const std::string process = keep_pulling();
  ASSERT_TRUE(comes_true("test -s pull.out"));
  EXPECT_EQ(behind("zoe\n").out, "zoe\n");
  sql("INSERT INTO users VALUES('zoe')");
  follow();
  EXPECT_TRUE(comes_true("bloomery check -q pulled.bloom -e zoe"));
  sql("INSERT INTO users VALUES('yan')");
  follow("");  // leaves no steps
  EXPECT_TRUE(comes_true("bloomery check -q pulled.bloom -e yan"));
  // The filter is replaced by a new one, while the server is away for a moment.
  server_->ask("FLUSHALL");
  ASSERT_TRUE(comes_true("grep -q 'no filter is there' pull.err"));
  EXPECT_EQ(shell_.run("bloomery check -q pulled.bloom -e ann").status, 0) << "it stays";
  sql("INSERT INTO users VALUES('kim')");
  follow();
  EXPECT_TRUE(comes_true("bloomery check -q pulled.bloom -e kim"));
  EXPECT_TRUE(comes_true("bloomery check pulled.bloom -q -v -e none --behind " + kSource));
  EXPECT_EQ(shell_.run("kill -TERM " + process).status, 0);
  EXPECT_TRUE(comes_true("! kill -0 " + process));
  EXPECT_EQ(shell_.run("ls").out.find("pulled.bloom."), std::string::npos) << "nothing is left";
}

TEST_F(Pull, GoesOnFromTheFileAndCopiesBeginFromIt) {
  ASSERT_EQ(shell_.run("bloomery pull " + at() + " pulled.bloom").status, 0);
  sql("INSERT INTO users VALUES('zoe')");
  follow();
  // A key that only the file has shows which pull went on from it.
  ASSERT_EQ(shell_.run("echo mine | bloomery insert pulled.bloom --in-place").status, 0);
  ASSERT_EQ(shell_.run("bloomery pull " + at() + " pulled.bloom").status, 0);
  EXPECT_EQ(behind("ann\nmine\nzoe\nyan\n").out, "yan\n");
  EXPECT_EQ(shell_
                .run("bloomery check " + copy_from("pulled.bloom") + " -v --behind " + kSource,
                     "ann\nzoe\nyan\n")
                .out,
            "yan\n");
  EXPECT_EQ(shell_.run("bloomery check " + copy_from("none.bloom") + " -e zoe").out, "zoe\n");
  sql("INSERT INTO users VALUES('kim')");
  follow("");  // leaves no steps
  ASSERT_EQ(shell_.run("bloomery pull " + at() + " pulled.bloom").status, 0);
  EXPECT_EQ(behind("kim\nmine\n").out, "mine\n") << "it was read whole";
  EXPECT_EQ(shell_.run("head -c 5000 pulled.bloom >cut; mv cut pulled.bloom").status, 0);
  EXPECT_EQ(shell_.run("bloomery pull " + at() + " pulled.bloom --replace").status, 0);
  EXPECT_EQ(behind("kim\nmine\n").out, "mine\n");
}

TEST_F(Pull, ReplacesNothingElseUnasked) {
  EXPECT_EQ(shell_.run("printf 'a note' >pulled.bloom").status, 0);
  for (const char* replace : {"", " --replace"}) {
    const Outcome note = shell_.run("bloomery pull " + at() + " pulled.bloom" + replace);
    EXPECT_EQ(note.status, 2);
    EXPECT_THAT(note.err, HasSubstr("no filter of ours"));
  }
  EXPECT_EQ(shell_.run("cat pulled.bloom").out, "a note");
  EXPECT_EQ(shell_.run("rm pulled.bloom; printf 'k\n' | bloomery load - pulled.bloom -n 9").status,
            0);
  const Outcome other = shell_.run("bloomery pull " + at() + " pulled.bloom");
  EXPECT_EQ(other.status, 2);
  EXPECT_THAT(other.err, HasSubstr("--replace"));
  EXPECT_EQ(shell_.run("bloomery check pulled.bloom -e k").out, "k\n");
  EXPECT_EQ(shell_.run("bloomery pull " + at() + " pulled.bloom --replace").status, 0);
  EXPECT_EQ(shell_.run("bloomery check pulled.bloom -e ann").out, "ann\n");
}

TEST_F(Pull, LeavesAloneWhatSomebodyPutWhereItWrites) {
  const std::string process = keep_pulling();
  ASSERT_TRUE(comes_true("test -s pull.out"));
  EXPECT_EQ(shell_.run("printf 'a note' >note; mv note pulled.bloom").status, 0);
  sql("INSERT INTO users VALUES('zoe')");
  follow();
  EXPECT_TRUE(comes_true("grep -q 'no filter of ours' pull.err"));
  EXPECT_EQ(shell_.run("cat pulled.bloom").out, "a note");
  EXPECT_EQ(
      shell_.run("printf 'k\n' | bloomery load - k.bloom -n 9; mv k.bloom pulled.bloom").status, 0);
  EXPECT_TRUE(comes_true("grep -q 'is another filter' pull.err"));
  EXPECT_EQ(shell_.run("bloomery check pulled.bloom -e k").out, "k\n");
  EXPECT_EQ(shell_.run("rm pulled.bloom").status, 0);
  EXPECT_TRUE(comes_true("bloomery check -q pulled.bloom -e zoe 2>/dev/null"));
  EXPECT_EQ(shell_.run("kill -TERM " + process).status, 0);
  EXPECT_TRUE(comes_true("! kill -0 " + process));
}

TEST_F(Pull, RefusesWhatIsNoFilterOfOursInAServer) {
  EXPECT_EQ(shell_.run("bloomery create f.bloom -n 100").status, 0);
  for (const std::string& words :
       {std::string("f.bloom x.bloom"), at() + " guava:x.bin", at() + " " + at(),
        at() + " x.bloom --every 1ms", at() + " x.bloom --every soon",
        "'redisson:redis+unix://" + server_->socket() + "#f' x.bloom",
        "'bitmap:redis+unix://" + server_->socket() + "#none' x.bloom"}) {
    const Outcome refused = shell_.run("bloomery pull " + words);
    EXPECT_EQ(refused.status, 2) << words;
    EXPECT_NE(refused.err, "") << words;
  }
  EXPECT_EQ(shell_.run("test -e x.bloom").status, 1);
}

}  // namespace
}  // namespace bloomery
