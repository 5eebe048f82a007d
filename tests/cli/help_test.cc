// SPDX-License-Identifier: Apache-2.0
// What the command says of itself: help, man pages, completion.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "tests/cli/shell.h"

namespace bloomery {
namespace {

using ::testing::HasSubstr;
using testing::Outcome;
using testing::Shell;

TEST(Help, OfACommandIsThatOfItsOption) {
  const Shell shell;
  EXPECT_EQ(shell.run("bloomery help load").out, shell.run("bloomery load --help").out);
  EXPECT_EQ(shell.run("bloomery help").out, shell.run("bloomery --help").out);
  EXPECT_EQ(shell.run("bloomery help load").status, 0);
  EXPECT_EQ(shell.run("bloomery help rdb list").out, shell.run("bloomery rdb list --help").out);
  EXPECT_THAT(shell.run("bloomery help load list").err,
              HasSubstr("\"list\" is no command of bloomery load\nTry: bloomery load --help"));
}

TEST(Help, ShowsCommandsInGroupsAndEverydayOptionsFirst) {
  const std::string all = Shell().run("COLUMNS=80 bloomery help").out;
  EXPECT_THAT(all, ::testing::ContainsRegex("\nEveryday commands:\n  create .*\n  insert .*\n"
                                            "  check .*\n  load .*\n  dedup .*\n  info .*\n"
                                            "  calc .*\n\nFilters in servers:\n  push "));
  EXPECT_THAT(all, HasSubstr("\nMore commands:\n  erase "));
  EXPECT_THAT(Shell().run("bloomery help rdb").out, HasSubstr("\nCommands:\n"));

  const std::string load = Shell().run("COLUMNS=80 bloomery help load").out;
  const std::size_t everyday = load.find("\nEveryday options:\n  -n, --capacity");
  const std::size_t others = load.find("\nMore options:\n");
  ASSERT_NE(everyday, std::string::npos);
  ASSERT_NE(others, std::string::npos);
  for (const char* const name : {"-p, --rate", "--kind", "--as", "-F, --field", "--replace"}) {
    EXPECT_GT(load.find("  " + std::string(name) + " "), everyday) << name;
    EXPECT_LT(load.find("  " + std::string(name) + " "), others) << name;
  }
  EXPECT_GT(load.find("--threads"), others);
  EXPECT_THAT(Shell().run("bloomery help info").out, HasSubstr("\nOptions:\n"));
  // No name of a type of the parser's stands where a reader looks for the unit.
  EXPECT_THAT(Shell().run("bloomery help follow").out,
              AllOf(HasSubstr("\nMore options:\n"), HasSubstr("--every SECONDS"),
                    ::testing::Not(HasSubstr("FLOAT"))));
}

// Examples are there to be pasted, and a list of values to be read as one.
TEST(Help, FitsTheTerminal) {
  for (const std::size_t width : {60u, 80u}) {
    std::istringstream text(
        Shell().run("COLUMNS=" + std::to_string(width) + " bloomery help create").out);
    std::size_t line_count = 0;
    for (std::string line; std::getline(text, line) && line != "Examples:"; ++line_count) {
      if (line.find('|') != std::string::npos) continue;
      EXPECT_LE(line.size(), width) << line;
    }
    EXPECT_GT(line_count, 20u);
  }
}

// No line of a paragraph ends while the next one's first word would fit.
TEST(Help, FillsItsLines) {
  for (const char* command : {"dedup", "follow", "merge", "seal", "delta", "patch"}) {
    std::istringstream text(Shell().run("COLUMNS=80 bloomery help " + std::string(command)).out);
    const auto is_prose = [](const std::string& line) { return !line.empty() && line[0] != ' '; };
    for (std::string before, line; std::getline(text, line); before = line) {
      if (!is_prose(before) || !is_prose(line) || before.ends_with(':')) continue;
      const std::size_t word = std::min(line.find(' '), line.size());
      EXPECT_GT(before.size() + 1 + word, 80u) << command << ": " << before;
    }
  }
}

TEST(Help, WritesAManPageOfEveryCommand) {
  const Shell shell;
  ASSERT_EQ(shell.run("bloomery help --man-pages man1").status, 0);
  EXPECT_THAT(shell.read("man1/bloomery.1"), HasSubstr(".SH SEE ALSO\n\\fBbloomery\\-create\\fR"));
  const std::string page = shell.read("man1/bloomery-load.1");
  EXPECT_THAT(page, HasSubstr(".TH BLOOMERY-LOAD 1"));
  EXPECT_THAT(page, HasSubstr("\\fB\\-n\\fR, \\fB\\-\\-capacity\\fR \\fICOUNT\\fR"));
  // No line of text is taken for a request of roff.
  std::istringstream lines(page);
  for (std::string line; std::getline(lines, line);) {
    EXPECT_FALSE(line.starts_with('\'')) << line;
    if (line.starts_with('.')) {
      EXPECT_THAT(line, ::testing::MatchesRegex("\\.(TH|SH|TP|PP|nf|fi)( .*)?")) << line;
    }
  }
}

TEST(Completion, OfBashKnowsCommandsOptionsAndValues) {
  const auto completed = [](const std::string& words) {
    const Outcome outcome = Shell().run(
        "bloomery completion bash >script; cat >try <<'END'\n. ./script\n"
        "COMP_WORDS=(" +
        words +
        ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_bloomery\n"
        "echo \"${COMPREPLY[*]}\"\nEND\nbash ./try");
    EXPECT_EQ(outcome.err, "") << words;
    return outcome.out;
  };
  EXPECT_EQ(completed("bloomery me"), "merge measure\n");
  EXPECT_EQ(completed("bloomery load --cap"), "--capacity\n");
  EXPECT_EQ(completed("bloomery load --kind c"), "classic counting classic-counting\n");
  EXPECT_EQ(completed("bloomery load -n ''"), "\n");
  EXPECT_EQ(completed("bloomery load fil"), "\n") << "files are the shell's";
  EXPECT_EQ(completed("bloomery help ca"), "calc\n");
  EXPECT_EQ(completed("bloomery completion z"), "zsh\n");
}

TEST(Completion, IsWrittenForOtherShells) {
  const Shell shell;
  const std::string zsh = shell.run("bloomery completion zsh").out;
  EXPECT_THAT(zsh, HasSubstr("#compdef bloomery\n"));
  EXPECT_THAT(zsh, HasSubstr("--metrics[answer GET /metrics]:[HOST\\:]PORT:'"))
      << "a colon ends a message";
  EXPECT_THAT(shell.run("bloomery completion fish").out,
              HasSubstr("-n '__fish_seen_subcommand_from load' -s n -l capacity -x"));
  EXPECT_THAT(shell.run("bloomery completion tcsh").err, HasSubstr("not one of bash, zsh, fish"));
}

}  // namespace
}  // namespace bloomery
