// SPDX-License-Identifier: Apache-2.0
// How keys were written is in the filter's file: no command asks for other bytes unasked, and says
// "absent" of keys that are there.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bloomery/filter/filter_kinds.h"
#include "bloomery/store/native_file.h"
#include "tests/cli/shell.h"

namespace bloomery {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::Outcome;
using testing::Shell;

class KeyFormOfAFile : public ::testing::Test {
 protected:
  void expect_all_found(const std::string& line) {
    EXPECT_EQ(shell_.run("seq 1000 | " + line).out, "1000\n") << line;
  }
  void expect_refused(const std::string& line, const std::string& why) {
    const Outcome outcome = shell_.run(line);
    EXPECT_EQ(outcome.status, 2) << line;
    EXPECT_THAT(outcome.err, HasSubstr(why)) << line;
  }
  Shell shell_;
};

TEST_F(KeyFormOfAFile, IsWhatLoadWasTold) {
  for (const char* const as : {"i64", "i32", "utf16", "kryo-i64", "text"}) {
    const std::string file = std::string(as) + ".bloom";
    ASSERT_EQ(shell_.run("seq 1000 | bloomery load - " + file + " -n 1000 --as " + as).status, 0);
    expect_all_found("bloomery check -c " + file);
    EXPECT_EQ(shell_.run("bloomery info --json " + file).json().at("keys"), as);
    EXPECT_EQ(shell_.run("bloomery explain " + file + " 17 --json").json().at("presence"), "maybe");
  }
  ASSERT_EQ(shell_.run("seq 1000 | bloomery load - s.bloom -n 1000 --as i64 --kind static").status,
            0);
  expect_all_found("bloomery check -c s.bloom");
}

TEST_F(KeyFormOfAFile, IsWhatWasFirstInsertedOrSaidAtItsMaking) {
  ASSERT_EQ(shell_
                .run("bloomery create a.bloom -n 1000 -p 0.01\n"
                     "seq 1000 | bloomery insert a.bloom --as i64\n"
                     "bloomery create b.bloom -n 1000 -p 0.01 --as i64 --kind counting\n"
                     "seq 1000 | bloomery insert b.bloom")
                .status,
            0);
  expect_all_found("bloomery check -c a.bloom");
  expect_all_found("bloomery check -c b.bloom");
  expect_all_found("bloomery check -c a.bloom b.bloom");
  EXPECT_EQ(shell_.run("seq 1000 | bloomery erase b.bloom --json").json().at("erased_count"), 1000);
  // A file that says "text" keeps saying so.
  ASSERT_EQ(shell_
                .run("bloomery create t.bloom -n 1000 -p 0.01\n"
                     "echo a | bloomery insert t.bloom")
                .status,
            0);
  expect_refused("echo 1 | bloomery insert t.bloom --as i64", "its keys are text");
}

TEST_F(KeyFormOfAFile, IsNotContradictedUnlessSomebodyInsists) {
  ASSERT_EQ(
      shell_.run("seq 1000 | bloomery load - ids.bloom -n 1000 --as i64 --kind counting").status,
      0);
  for (const char* const command :
       {"check ids.bloom", "insert ids.bloom", "erase ids.bloom", "explain ids.bloom 7",
        "dedup --state ids.bloom", "convert ids.bloom x.bloom",
        "merge x.bloom ids.bloom ids.bloom"}) {
    expect_refused("echo 7 | bloomery " + std::string(command) + " --as text",
                   "its keys are i64, and as text they are other bytes");
    EXPECT_FALSE(shell_.has("x.bloom"));
  }
  expect_refused("echo 7 | bloomery check ids.bloom --as text", "insist with --insist");
  EXPECT_EQ(shell_.run("echo 7 | bloomery check ids.bloom --as i64").status, 0) << "the same";
  EXPECT_EQ(shell_.run("echo 7 | bloomery check ids.bloom --as u64 --insist").status, 0);
  EXPECT_EQ(shell_.run("echo 7 | bloomery check ids.bloom --as text --insist").status, 1);
}

// The advice of the message about NULs works, and no message calls the bytes of hexadecimal digits
// "other bytes".
TEST_F(KeyFormOfAFile, IsAskedForTextsThatAreWrittenInHexadecimalDigits) {
  AnyFilter texts = make_filter(FilterKind::blocked, {.capacity = 1000});
  texts.set_keys({});
  texts.insert(Key("a\0b", 3));
  save(texts, shell_.path("texts.bloom"));
  const testing::Outcome lines = shell_.run("printf 'a\\0b\\n' | bloomery check texts.bloom");
  EXPECT_EQ(lines.status, 2);
  EXPECT_THAT(lines.err, HasSubstr("--as hex (of a filter that holds texts with --insist, too)"));
  EXPECT_EQ(shell_.run("bloomery check texts.bloom -e 610062 --as hex --insist").status, 0);
  EXPECT_EQ(shell_.run("bloomery check texts.bloom -e YQBi --as base64 --insist").status, 0);
  for (const std::string word : {"hex", "base64"}) {
    const testing::Outcome digits =
        shell_.run("bloomery check texts.bloom -e 61006200 --as " + word);
    EXPECT_EQ(digits.status, 2);
    EXPECT_THAT(digits.err, HasSubstr("its keys are text. If " + word +
                                      " is how you write a key's bytes, insist with --insist"));
    EXPECT_EQ(digits.err.find("other bytes"), std::string::npos);
  }
}

// Files that older releases loaded with --as, and files into which older programs inserted, say
// nothing; so did files of texts.
TEST_F(KeyFormOfAFile, IsUnknownWhereItSaysNothing) {
  AnyFilter old = make_filter(FilterKind::blocked, {.capacity = 1000});
  for (std::uint64_t id = 1; id <= 1000; ++id) old.insert(as_key(id));
  save(old, shell_.path("old.bloom"));
  EXPECT_EQ(shell_.run("bloomery info --json old.bloom").json().at("keys"), "unknown");
  expect_all_found("bloomery check -c old.bloom");
  expect_all_found("bloomery check -c old.bloom --as i64");
  ASSERT_EQ(shell_.run("bloomery convert old.bloom new.bloom --as i64").status, 0);
  expect_all_found("bloomery check -c new.bloom");
  EXPECT_EQ(shell_.run("bloomery info --json new.bloom").json().at("keys"), "i64");
}

TEST_F(KeyFormOfAFile, GoesAlongWhenItIsConverted) {
  ASSERT_EQ(shell_
                .run("bloomery create redisson:r -n 1000 -p 0.01\n"
                     "seq 1000 | bloomery insert redisson:r\n"
                     "bloomery convert redisson:r r.bloom\n"
                     "bloomery create guava:g -n 1000 -p 0.01\n"
                     "seq 1000 | bloomery insert guava:g --as i32\n"
                     "bloomery convert guava:g g.bloom --as i32\n"
                     "bloomery convert g.bloom again.bloom")
                .status,
            0);
  expect_all_found("bloomery check -c r.bloom");
  EXPECT_EQ(shell_.run("bloomery info --json r.bloom").json().at("keys"), "kryo");
  expect_all_found("bloomery check -c g.bloom");
  expect_all_found("bloomery check -c again.bloom");
  EXPECT_EQ(shell_.run("bloomery convert guava:g i32.bloom --as i32").err, "");
  EXPECT_THAT(shell_.run("bloomery convert guava:g text.bloom").err,
              HasSubstr("text.bloom: its keys are text from now on, as guava:g cannot say what"));
  EXPECT_THAT(shell_.run("bloomery convert g.bloom guava:back").out,
              HasSubstr("which the file cannot say: ask it --as i32"));
}

TEST_F(KeyFormOfAFile, KeepsFiltersApartThatNoQuestionCouldAskTogether) {
  ASSERT_EQ(shell_
                .run("seq 1000 | bloomery load - a.bloom -n 2000 --as i64\n"
                     "seq 1001 2000 | bloomery load - b.bloom -n 2000 --as i64\n"
                     "seq 1001 2000 | bloomery load - t.bloom -n 2000\n"
                     "bloomery merge all.bloom a.bloom b.bloom")
                .status,
            0);
  expect_all_found("bloomery check -c all.bloom");
  expect_refused("bloomery merge x.bloom a.bloom t.bloom",
                 "the keys of one filter are i64 and those of the other text");
  EXPECT_FALSE(shell_.has("x.bloom"));
  expect_refused("echo 7 | bloomery check a.bloom t.bloom", "say it with --as, or ask them apart");
}

TEST_F(KeyFormOfAFile, IsKeptByTheStateOfDedup) {
  EXPECT_EQ(
      shell_.run("printf '1\\n2\\n01\\n' | bloomery dedup --state s.bloom -n 100 --as i64").out,
      "1\n2\n");
  EXPECT_EQ(shell_.run("printf '2\\n3\\n' | bloomery dedup --state s.bloom").out, "3\n");
  EXPECT_EQ(shell_.run("bloomery info --json s.bloom").json().at("keys"), "i64");
}

// "Ann" and "ANN" are one row for the database, so they are one key from here on.
TEST_F(KeyFormOfAFile, RemembersHowKeysWereNormalised) {
  shell_.write("names.txt", " Ann\r\nBOB\r\n");
  const Outcome loaded =
      shell_.run("bloomery load names.txt f.bloom --normalise trim,lower --json");
  ASSERT_EQ(loaded.status, 0) << loaded.err;
  EXPECT_THAT(loaded.err, Not(HasSubstr("carriage return")));
  EXPECT_EQ(loaded.json().at("keys"), "text --normalise trim,lower");
  EXPECT_EQ(shell_.run("printf 'ANN\\nbob\\nCarl\\n' | bloomery check f.bloom").out, "ANN\nbob\n");
  ASSERT_EQ(shell_.run("echo 'CARL ' | bloomery insert f.bloom").status, 0);
  EXPECT_EQ(shell_.run("echo carl | bloomery check f.bloom").out, "carl\n");
  expect_refused("echo ann | bloomery check f.bloom --normalise lower",
                 "its keys are text --normalise trim,lower");
  expect_refused("echo a | bloomery dedup --normalise nfc", "nfc is not done here");
  expect_refused("echo a | bloomery dedup --as i64 --normalise lower", "no letters");
}

TEST_F(KeyFormOfAFile, WarnsWhereADatabaseCallsMoreEqual) {
  ASSERT_EQ(shell_
                .run("sqlite3 shop.db \"create table u(name text collate nocase, code real);"
                     "insert into u values ('Ann', 7), ('BOB', 8)\"")
                .status,
            0);
  const std::string names = "bloomery load 'sqlite:shop.db?table=u&column=name' ";
  EXPECT_THAT(shell_.run(names + "a.bloom").err,
              AllOf(HasSubstr("u.name is COLLATE NOCASE"), HasSubstr("--normalise lower")));
  const Outcome lowered = shell_.run(names + "b.bloom --normalise lower");
  EXPECT_EQ(lowered.err, "");
  EXPECT_EQ(shell_.run("echo bob | bloomery check b.bloom").out, "bob\n");
  EXPECT_EQ(shell_
                .run("bloomery load 'sqlite:shop.db?table=u&column=code' c.bloom "
                     "--normalise integer && printf '007\\n8.0\\n9\\n' | bloomery check c.bloom")
                .status,
            0);
  EXPECT_EQ(shell_.run("printf '007\\n8.0\\n' | bloomery check -c c.bloom").out, "2\n");
}

}  // namespace
}  // namespace bloomery
