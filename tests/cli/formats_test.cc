// SPDX-License-Identifier: Apache-2.0
// Other systems' files on the command line, as their users have them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bloomery/format/format.h"
#include "tests/cli/shell.h"
#include "tests/support/small_settings.h"

namespace bloomery {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using testing::Outcome;
using testing::Shell;

TEST(Formats, AreListed) {
  const Shell shell;
  const Outcome list = shell.run("bloomery formats --json");
  ASSERT_EQ(list.status, 0) << list.err;
  ASSERT_EQ(list.json().size(), formats().size());
  for (const auto& each : list.json()) {
    const std::string name = each.at("name");
    const Outcome one = shell.run("bloomery formats " + name);
    EXPECT_EQ(one.status, 0);
    EXPECT_THAT(one.out, HasSubstr(each.at("index_rule").get<std::string>()));
    EXPECT_THAT(shell.run("bloomery formats").out, HasSubstr(name));
  }
  EXPECT_EQ(shell.run("bloomery formats nosuch").status, 2);
}

// Every format as a file that is made, filled, asked, converted to ours and back.
TEST(Formats, GoThroughTheCommand) {
  const Shell shell;
  for (const Format* const format : formats()) {
    if (format->create == nullptr || format->encode == nullptr) continue;
    SCOPED_TRACE(format->name);
    const std::string name(format->name);
    const bool large = !testing::small_settings(*format).empty();
    const std::string small = large ? "?bits=65536" : "";
    const std::string theirs = name + ":" + name + ".theirs";
    const Outcome outcome = shell.run(
        "set -e\nbloomery create '" + theirs + small + "' -n 500 -p 0.02\n" +
        "seq 500 | bloomery insert " + theirs + " --as text\n" + "bloomery info " + theirs +
        " --json | grep -q inserted\n" + "test $(seq 500 | bloomery check -c " + theirs +
        " --as text) = 500\n" + "bloomery convert " + theirs + " " + name + ".bloom --as text\n" +
        "seq 3000 | bloomery check " + theirs + " --as text >a\n" + "seq 3000 | bloomery check " +
        name + ".bloom >b\ncmp a b\n" + "bloomery explain " + name +
        ".bloom 17 --json | grep -q maybe\n" + "bloomery convert " + name + ".bloom " + name +
        ":back\n" + "cmp " + name + ".theirs back\nrm back*\n");
    EXPECT_EQ(outcome.status, 0) << outcome.err;
  }
}

// Programs write one filter after another into one stream. Nobody would find the second's keys.
TEST(Formats, SayWhereAnotherFilterStandsBehindTheFirst) {
  const Shell shell;
  for (const std::string name : {"guava", "dcso", "parquet", "redisson", "redisbloom-dump"}) {
    SCOPED_TRACE(name);
    const Outcome outcome =
        shell.run("set -e\nexec 3>&1 >out\nN=" + name + "\nbloomery create $N:$N -n 500 -p 0.02\n" +
                  "seq 500 | bloomery insert $N:$N --as text\n" +
                  "cp $N first\ncat first >>$N\nstat -c %s $N >&3\nset +e\n" +
                  "echo 7 | bloomery check $N:$N --as text >&2\n" +
                  "echo new | bloomery insert $N:$N --as text 2>&1\nstat -c %s $N >&3");
    EXPECT_THAT(outcome.err, AnyOf(HasSubstr("filter"), HasSubstr("bytes"))) << outcome.out;
    const std::size_t line = outcome.out.find('\n') + 1;
    EXPECT_EQ(outcome.out.substr(0, line), outcome.out.substr(line)) << "bytes were cut off";
  }
}

TEST(Formats, TakeKeysAsTheirSystemDoes) {
  const Shell shell;
  ASSERT_EQ(shell
                .run("bloomery create redisson:r -n 100 -p 0.01\n"
                     "echo user:1 | bloomery insert redisson:r")
                .status,
            0);
  EXPECT_EQ(shell.run("echo user:1 | bloomery check redisson:r").out, "user:1\n");
  EXPECT_EQ(shell.run("echo user:1 | bloomery check redisson:r --as kryo").status, 0);
  EXPECT_EQ(shell.run("echo user:1 | bloomery check redisson:r --as text").status, 1);
  EXPECT_EQ(shell.run("bloomery explain redisson:r user:1 --json").json().at("presence"), "maybe");
}

// A bean's bytes are printed by the program that has it.
TEST(Formats, AreAskedForTheBytesOfACodec) {
  const Shell shell;
  ASSERT_EQ(shell.run("bloomery create redisson:r -n 100 -p 0.01").status, 0);
  ASSERT_EQ(shell.run("echo 0375736572b1 | bloomery insert redisson:r --as hex").status, 0);
  EXPECT_EQ(shell.run("echo user1 | bloomery check redisson:r --as kryo").status, 0);
  EXPECT_EQ(shell.run("echo 0375736572B1 | bloomery check redisson:r --as hex").status, 0);
  EXPECT_EQ(shell.run("echo 0375736572b2 | bloomery check redisson:r --as hex").status, 1);
  for (const std::string codec : {"fst", "jboss-marshalling", "json"}) {
    const Outcome outcome = shell.run("echo a | bloomery check redisson:r --as " + codec);
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.err, HasSubstr("give them --as hex"));
  }
}

TEST(Formats, AreNotGuessedForKeysOfTwo) {
  const Shell shell;
  ASSERT_EQ(shell
                .run("bloomery create redisson:r -n 100 -p 0.01\n"
                     "bloomery create guava:g -n 100 -p 0.01")
                .status,
            0);
  const Outcome outcome = shell.run("echo a | bloomery check redisson:r guava:g");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("--as"));
  EXPECT_EQ(shell.run("echo a | bloomery check redisson:r guava:g --as text").status, 1);
}

TEST(Formats, MergeOnlyWithTheirLikes) {
  const Shell shell;
  ASSERT_EQ(shell
                .run("for name in a b c; do\n"
                     "  echo $name | bloomery load - guava:$name -n 100 -p 0.02\ndone")
                .status,
            0);
  EXPECT_EQ(shell.run("bloomery merge guava:all guava:a guava:b guava:c").status, 0);
  EXPECT_EQ(shell.run("printf 'a\\nb\\nc\\n' | bloomery check -c guava:all").out, "3\n");
  ASSERT_EQ(shell.run("bloomery create ours.bloom -n 100 -p 0.02").status, 0);
  EXPECT_EQ(shell.run("bloomery merge guava:x guava:a ours.bloom").status, 2);
  EXPECT_FALSE(shell.has("x"));
}

TEST(Formats, RefuseWhatTheyCannotDo) {
  const Shell shell;
  ASSERT_EQ(shell
                .run("bloomery create ours.bloom -n 100 -p 0.02\n"
                     "bloomery create guava:g -n 100 -p 0.02")
                .status,
            0);
  const auto refused = [&](const std::string& line, const std::string& why) {
    const Outcome outcome = shell.run(line);
    EXPECT_EQ(outcome.status, 2) << line;
    EXPECT_THAT(outcome.err, HasSubstr(why)) << line;
  };
  refused("bloomery convert ours.bloom guava:x", "bloomery load KEYS guava:FILE");
  refused("bloomery convert guava:g redisson:x", "bloomery load KEYS redisson:FILE");
  refused("bloomery convert guava:g 'guava:x?k=from_size'", "its own settings");
  refused("bloomery convert guava:g ours.bloom", "already exists");
  refused("bloomery create guava:x -n 10 -p 0.1 --kind classic", "--kind");
  refused("bloomery create guava:g -n 10 -p 0.1", "already exists");
  refused("bloomery info guava:ours.bloom", "strategy at byte 0");
  refused("bloomery info g", "not a bloomery filter");
  refused("bloomery info gauva:g", "no format is called");
  refused("bloomery info redisson:g", "hashIterations");
  refused("bloomery erase guava:g </dev/null", "mitz-64");
}

TEST(Formats, WarnOfWhatTheirUsersMustKnow) {
  const Shell shell;
  const Outcome made = shell.run("bloomery create redisson:r -n 10000 -p 0.01");
  EXPECT_THAT(made.err, HasSubstr("oversize=1"));
  const Outcome oversized = shell.run("bloomery create 'redisson:o?oversize=1' -n 10000 -p 0.01");
  EXPECT_EQ(oversized.err, "");
  EXPECT_THAT(shell.read("o.config"), HasSubstr("falseProbability=0.01\n"));
}

// Keys beyond those that a filter was made for are no harm where its bits suffice.
TEST(Formats, DoNotWarnOfARateThatIsBetterThanPromised) {
  const Shell shell;
  const std::string roomy = "bloomery load - 'php:r?size_kb=1024' -n 10";
  EXPECT_EQ(shell.run("seq 10 | " + roomy).err, "");
  EXPECT_EQ(shell.run("seq 11 50 | bloomery insert php:r").err, "");
  ASSERT_EQ(shell.run("bloomery create tight.bloom -n 10 -p 0.01").status, 0);
  EXPECT_THAT(shell.run("seq 5000 | bloomery insert tight.bloom").err,
              HasSubstr("its rate is now"));
}

// Nothing of such a filter says how its keys are written, so a wrong guess says "absent".
TEST(Formats, AreSaidToBeAskedForTheirUsualKeys) {
  const Shell shell;
  const Outcome loaded = shell.run("seq 10 | bloomery load - guava:g -n 10 --as i32");
  EXPECT_THAT(loaded.out, HasSubstr("ask it --as i32"));
  const Outcome guessed = shell.run("seq 5 | bloomery check guava:g");
  EXPECT_EQ(guessed.status, 1);
  EXPECT_EQ(
      guessed.err,
      "bloomery: guava:g: cannot say how its keys are written: it was asked for text keys, as is "
      "usual; keys of another form are \"absent\" unless --as says it\n");
  EXPECT_EQ(shell.run("seq 5 | bloomery check guava:g --as i32").err, "");
  EXPECT_EQ(shell.run("seq 900 999 | bloomery check guava:g --as text").err, "");
  // All are found: nothing is in doubt.
  ASSERT_EQ(shell.run("seq 10 | bloomery load - guava:t -n 10").status, 0);
  EXPECT_EQ(shell.run("seq 5 | bloomery check guava:t").err, "");
}

// Every command that calls a key absent, or new, says it as check does.
TEST(Formats, AreSaidToBeAskedForTheirUsualKeysByEveryCommand) {
  const Shell shell;
  ASSERT_EQ(shell
                .run("seq 10 | bloomery load - guava:g -n 10 --as i32\n"
                     "seq 10 | bloomery load - redisson:r -n 10 --as kryo-i64")
                .status,
            0);
  const std::string why = "cannot say how its keys are written: it was asked for ";
  const Outcome guava = shell.run("bloomery explain guava:g 5");
  EXPECT_EQ(guava.status, 1);
  EXPECT_THAT(guava.err, HasSubstr("guava:g: " + why +
                                   "text keys, as is usual; keys of another "
                                   "form are \"absent\" unless --as says it"));
  EXPECT_THAT(shell.run("bloomery explain redisson:r 5").err,
              HasSubstr("redisson:r: " + why + "kryo keys"));
  EXPECT_EQ(shell.run("bloomery explain guava:g 5 --as i32").err, "");
  EXPECT_EQ(shell.run("bloomery explain guava:g 99 --as i32").err, "");
  const Outcome repeated = shell.run("seq 5 | bloomery dedup --state guava:g");
  EXPECT_THAT(repeated.err, HasSubstr(why + "text keys, as is usual; keys of another form are "
                                            "\"new\" unless --as says it"));
  // A state that this very run makes holds no keys of another form.
  EXPECT_EQ(shell.run("seq 5 | bloomery dedup -n 10 --state guava:new").err.find(why),
            std::string::npos);
}

// A bitmap that was cut is still a bitmap, and says "absent" of half of its keys.
TEST(Formats, AreSuspectedWhereBitsAreMissing) {
  const Shell shell;
  ASSERT_EQ(shell
                .run("bloomery create redisson:r -n 10000 -p 0.01\n"
                     "seq 10000 | bloomery insert redisson:r\n"
                     "cp r.config cut.config; head -c 6000 r >cut\n"
                     "cp r.config hole.config; cp r hole\n"
                     "dd if=/dev/zero of=hole bs=1 count=600 seek=4096 conv=notrunc")
                .status,
            0);
  EXPECT_EQ(shell.run("echo 1 | bloomery check redisson:r").err, "");
  for (const char* const file : {"redisson:cut", "redisson:hole"}) {
    for (const char* const command : {"check", "insert", "info", "explain", "convert"}) {
      const std::string more = std::string(command) == "explain"   ? " 1"
                               : std::string(command) == "convert" ? " c.bloom --replace"
                                                                   : "";
      EXPECT_THAT(shell.run("echo 1 | bloomery " + std::string(command) + " " + file + more).err,
                  HasSubstr("it was cut, or zero-filled"))
          << command << " " << file;
    }
  }
}

TEST(Formats, SayWhatANewOneCanChoose) {
  const Shell shell;
  const auto refusal = [&](const std::string& line) { return shell.run(line).err; };
  EXPECT_THAT(refusal("bloomery create 'pyrebloom:x?bits=100' -n 10 -p 0.1"),
              HasSubstr("what -n and -p make of it"));
  EXPECT_THAT(refusal("bloomery create pyrebloom:x -n 10 -p 0.1 --kind classic"),
              HasSubstr("pyrebloom takes no settings here"));
  EXPECT_THAT(refusal("bloomery create 'hutool-bitset:x?n=5' -n 10 -p 0.1"),
              HasSubstr("there are: c k"));
  EXPECT_THAT(refusal("bloomery create hutool-bitset:x -n 1e9 -p 0.001"),
              HasSubstr("1000000000 keys at a rate of 0.001 would take"));
  EXPECT_FALSE(shell.has("x"));
}

TEST(Formats, MeasureHowWellPhpTellsKeysApart) {
  const Shell shell;
  ASSERT_EQ(shell.run("bloomery create 'php:p?size_kb=64' -n 1000 -p 0.1").status, 0);
  const Outcome alike = shell.run("seq -f 'user:profile:session:%06g' 900 | bloomery insert php:p");
  EXPECT_THAT(alike.err, HasSubstr("distinct sets of positions"));
  EXPECT_EQ(shell.run("seq 900 | bloomery insert php:p").err.find("distinct"), std::string::npos);
}

TEST(Dedup, RemembersInAnotherSystemsFile) {
  const Shell shell;
  EXPECT_EQ(shell.run("printf 'a\\nb\\na\\n' | bloomery dedup --state guava:seen -n 100").out,
            "a\nb\n");
  EXPECT_EQ(shell.run("printf 'b\\nc\\n' | bloomery dedup --state guava:seen").out, "c\n");
  EXPECT_EQ(shell.run("bloomery info guava:seen").status, 0);
}

}  // namespace
}  // namespace bloomery
