// SPDX-License-Identifier: Apache-2.0
// What is not a command line ends with status 2, one message, and nothing on standard output.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/shell.h"

namespace bloomery {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::Outcome;
using testing::Shell;
using ::testing::StartsWith;

std::string refusal(const std::string& line) {
  const Outcome outcome = Shell().run(line);
  EXPECT_EQ(outcome.status, 2) << line;
  EXPECT_EQ(outcome.out, "") << line;
  EXPECT_THAT(outcome.err, StartsWith("bloomery: ")) << line;
  return outcome.err;
}

TEST(Misuse, OfCommandsIsExplained) {
  EXPECT_THAT(refusal("bloomery"), HasSubstr("which command? there are create, insert"));
  EXPECT_EQ(refusal("bloomery rdb"),
            "bloomery: which command? there are list, extract\nTry: bloomery rdb --help\n");
  EXPECT_EQ(refusal("bloomery rdb lst dump.rdb"),
            "bloomery: \"lst\" is no command; did you mean list?\nTry: bloomery rdb --help\n");
  EXPECT_THAT(refusal("bloomery frobnicate"),
              HasSubstr("\"frobnicate\" is no command; there are create, insert"));
  EXPECT_EQ(refusal("bloomery clac"),
            "bloomery: \"clac\" is no command; did you mean calc?\nTry: bloomery --help\n");
  EXPECT_EQ(refusal("bloomery calc --capactiy 3"),
            "bloomery: \"--capactiy\" is no option of bloomery calc; did you mean --capacity?\n"
            "Try: bloomery calc --help\n");
  // The message names --capacity, for which the option was meant, and does not say that it is
  // missing.
  EXPECT_THAT(refusal("bloomery create a.bloom --capcity=4 -p 0.1"), HasSubstr("mean --capacity?"));
  EXPECT_THAT(refusal("bloomery create a.bloom --n 4 -p 0.1"), HasSubstr("did you mean -n?"));
  EXPECT_THAT(refusal("bloomery help clac"), HasSubstr("did you mean calc?"));
  EXPECT_THAT(refusal("bloomery calc -n"), HasSubstr("--capacity"));
  EXPECT_THAT(refusal("bloomery calc -n 1 -n 2 -p 0.1"), HasSubstr("--capacity"));
  EXPECT_THAT(refusal("bloomery calc extra -n 1 -p 0.1"), HasSubstr("extra"));
}

TEST(Misuse, IsExplainedInJsonToWhoAsksForJson) {
  const auto told = [](const std::string& line) {
    const Outcome outcome = Shell().run(line);
    EXPECT_EQ(outcome.status, 2) << line;
    EXPECT_EQ(outcome.out, "") << line;
    return nlohmann::json::parse(outcome.err);
  };
  EXPECT_EQ(told("bloomery calc -n 1 -q --json"),
            nlohmann::json({{"error", "\"-q\" is no option of bloomery calc"},
                            {"try", "bloomery calc --help"}}));
  EXPECT_THAT(told("bloomery info --json none.bloom").at("error").get<std::string>(),
              HasSubstr("none.bloom"));
  const Outcome several = Shell().run(
      "bloomery create a.bloom -n 9 -p 0.1 >/dev/null && bloomery info --json a.bloom none.bloom");
  EXPECT_EQ(several.json().at("capacity"), 9);
  EXPECT_THAT(nlohmann::json::parse(several.err).at("error").get<std::string>(),
              HasSubstr("none.bloom"));
}

TEST(Misuse, OfEmptyNamesIsExplained) {
  for (const char* line :
       {"bloomery info ''", "bloomery follow 'sqlite:d?table=t&column=c' ''", "bloomery seal ''"}) {
    EXPECT_THAT(refusal(line), HasSubstr("Its name is empty")) << line;
  }
}

// An unset variable of a script leaves a value empty: without the fence, the keys since --begin,
// the form of the keys or the slot, the answer would be another.
TEST(Misuse, OfEmptyValuesIsExplained) {
  for (const char* line :
       {"bloomery check f.bloom --behind '' -e k", "bloomery check f.bloom --behind= -e k",
        "bloomery push f.bloom redis://127.0.0.1:1#f --load ''",
        "bloomery check f.bloom --normalise '' -e k",
        "bloomery follow 'sqlite:d?table=t&column=c' f.bloom --metrics ''",
        "bloomery follow 'postgres:///d?table=t&column=c' f.bloom --slot ''",
        "bloomery calc -n '' -p 0.01", "bloomery calc -n 10 -p 0.01 --svg ''"}) {
    EXPECT_THAT(refusal(line), HasSubstr(": its value is empty")) << line;
  }
  const Outcome key = Shell().run(
      "bloomery create f.bloom -n 9 >o && bloomery insert f.bloom -e --k= >o && "
      "bloomery check f.bloom -e '' -e --k=");
  EXPECT_EQ(key.out, "--k=\n") << key.err;
}

TEST(Misuse, SealsAndDestroysNoFilesOfOthers) {
  EXPECT_THAT(refusal("bloomery seal guava:g"), HasSubstr("files of our own"));
  EXPECT_THAT(refusal("bloomery destroy --yes none.bloom"), HasSubstr("No such file"));
  const Shell shell;
  const Outcome text = shell.run("echo precious >notes; bloomery destroy --yes notes");
  EXPECT_EQ(text.status, 2);
  EXPECT_THAT(text.err, HasSubstr("notes: not a bloomery filter, so it stays"));
  EXPECT_EQ(shell.read("notes"), "precious\n");
  // A damaged one may go.
  const Outcome damaged = shell.run(
      "bloomery create a.bloom -n 9 -p 0.1 >/dev/null && truncate -s 100 a.bloom && "
      "bloomery destroy --yes a.bloom");
  EXPECT_EQ(damaged.status, 0) << damaged.err;
  EXPECT_FALSE(shell.has("a.bloom"));
}

TEST(Misuse, OfCapacitiesIsExplained) {
  const auto capacity = [](const std::string& text) {
    return refusal("bloomery calc -p 0.01 -n " + text);
  };
  EXPECT_THAT(capacity("0"), StartsWith("bloomery: -n: "));
  EXPECT_THAT(capacity("-1"), HasSubstr("negative"));
  EXPECT_THAT(capacity("1e30"), HasSubstr("18446744073709551615"));
  EXPECT_THAT(capacity("1.5"), HasSubstr("not whole"));
  EXPECT_THAT(capacity("ten"), HasSubstr("not a count"));
  EXPECT_THAT(capacity("'10 '"), HasSubstr("not a count"));
  // Room in percent is for those commands that count the keys, and the others say so.
  for (const char* const command :
       {"calc", "create f.bloom", "dedup", "measure", "follow 'sqlite:x.db?table=t&column=c' f"}) {
    EXPECT_THAT(refusal(std::string("bloomery ") + command + " -p 0.01 -n +20%"),
                HasSubstr("room for more keys than there are is for load and push"))
        << command;
  }
}

TEST(Misuse, OfRatesIsExplained) {
  for (const char* text : {"0", "1", "-0", "-0.5", "1.5", "nan", "inf", "1e-400", "1e-300", "0.01x",
                           "half", "100%", "0%", "0x1p-3"}) {
    const std::string message = refusal(std::string("bloomery calc -n 10 -p ") + text);
    EXPECT_THAT(message, StartsWith("bloomery: -p: ")) << text;
    EXPECT_THAT(message, HasSubstr("to below 1")) << text;
  }
}

TEST(Misuse, OfKindsNamesThoseThatAre) {
  EXPECT_THAT(refusal("bloomery calc -n 10 -p 0.1 --kind cuckoo"), HasSubstr("blocked, classic"));
}

TEST(Misuse, OfServersIsExplained) {
  EXPECT_THAT(refusal("bloomery push users.bloom localhost"), HasSubstr("redis://"));
  EXPECT_THAT(refusal("bloomery push none.bloom redis://127.0.0.1#users"), HasSubstr("none.bloom"));
  EXPECT_THAT(refusal("bloomery create a.bloom -n 9 -p 0.1 >/dev/null\n"
                      "bloomery push a.bloom unix:///none.sock#users"),
              HasSubstr("unix:///none.sock: cannot connect"));
  // Keys, not a filter's file.
  for (const std::string scheme : {"postgres", "mariadb"}) {
    EXPECT_THAT(refusal("bloomery push '" + scheme + "://127.0.0.1:1/d?table=t&column=c' " +
                        "redis://127.0.0.1#a"),
                Not(HasSubstr("no format")));
  }
}

TEST(Misuse, SaysThatAChangeIsMadeWhoseReportIsLost) {
  const Shell shell;
  const Outcome created = shell.run("bloomery create a.bloom -n 100 -p 0.01 >/dev/full");
  EXPECT_EQ(created.status, 2);
  EXPECT_THAT(created.err, HasSubstr("is done, and only this report is lost"));
  const Outcome inserted = shell.run("bloomery insert a.bloom >/dev/full", "key\n");
  EXPECT_EQ(inserted.status, 2);
  EXPECT_THAT(inserted.err, HasSubstr("is done, and only this report is lost"));
  EXPECT_EQ(shell.run("bloomery check a.bloom", "key\n").out, "key\n");
}

TEST(Misuse, MessagesHaveNoControlCharacters) {
  const Shell shell;
  const Outcome outcome = shell.run("bloomery info \"$(printf 'no\\033[31mfile')\"");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("no\\x1b[31mfile"));
  const Outcome created =
      shell.run("bloomery create -n 9 -p 0.1 \"$(printf 'a\\033[31m\\nb')\" 2>&1");
  EXPECT_EQ(created.status, 0);
  EXPECT_THAT(created.out, HasSubstr("a\\x1b[31m\\nb\n"));
}

TEST(CommandLine, TakesWordsAfterTwoDashesForNames) {
  const Shell shell;
  ASSERT_EQ(shell.run("bloomery create -n 9 -p 0.1 -- -a.bloom && cp ./-a.bloom b.bloom").status,
            0);
  for (const char* line :
       {"bloomery info -- -a.bloom b.bloom", "bloomery info b.bloom -- -a.bloom",
        "bloomery merge c.bloom -- -a.bloom b.bloom", "bloomery info b.bloom --json -- b.bloom",
        "echo 7 | bloomery insert b.bloom -- -", "echo 7 >-k; bloomery insert -- -a.bloom -k"}) {
    const Outcome outcome = shell.run(line);
    EXPECT_EQ(outcome.status, 0) << line << ": " << outcome.err;
  }
  EXPECT_EQ(shell.run("bloomery explain -- -a.bloom 7").status, 0);
}

TEST(Output, ThatCannotBeWrittenIsAnError) {
  for (const char* line : {"bloomery calc -n 10 -p 0.1 >/dev/full", "bloomery --help >/dev/full",
                           "bloomery --version >/dev/full", "bloomery calc --help >/dev/full"}) {
    const Outcome outcome = Shell().run(line);
    EXPECT_EQ(outcome.status, 2) << line;
    EXPECT_THAT(outcome.err, HasSubstr("standard output: No space left")) << line;
  }
}

TEST(Output, ToAReaderThatHasGoneEndsQuietly) {
  // The status of the pipe is that of true; what counts is that nothing is said.
  const Outcome outcome = Shell().run("{ sleep 0.1; bloomery calc -n 10 -p 0.1; } | true");
  EXPECT_EQ(outcome.err, "");
  // The parent may ignore the signal, too.
  EXPECT_EQ(Shell().run("trap '' PIPE; { sleep 0.1; bloomery --help; } | true").err, "");
}

}  // namespace
}  // namespace bloomery
