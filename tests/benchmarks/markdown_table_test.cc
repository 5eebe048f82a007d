#include "benchmarks/markdown_table.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <sstream>
#include <stdexcept>

#include "tests/benchmarks/sample_report.h"

namespace bloomery::bench {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(MarkdownTables, SayWhatEachOperationCosts) {
  const std::string text = markdown_tables(sample_report());
  EXPECT_THAT(text, HasSubstr("2026-01-31"));
  EXPECT_THAT(text, HasSubstr("| 10 million keys, 12.0 MiB at 1 % (L3) | bits a key |"));
  EXPECT_THAT(text, HasSubstr("| a random line, huge pages | | | 2.8 change | 2.5 read | |"));
  EXPECT_THAT(
      text, HasSubstr("| Kept 1 % | 10.10 | 1 % | 8.5 / 4.2 (65 %) | 7.5 / 3.5 (71 %) | – / – |"));
  EXPECT_THAT(text, HasSubstr("| std::set<int> | 0.00 | exact | 170 / – | 76 / – | – / – |"));
}

TEST(MarkdownTables, GiveWrongRowsNoSpeed) {
  const std::string text = markdown_tables(sample_report());
  EXPECT_THAT(text, HasSubstr("| Wrong 1 % | 10.10 | | WRONG: its rate is 1.31 %, asked for 1 %"));
  EXPECT_THAT(text, HasSubstr("| Loser | 10.10 | | WRONG: loses keys | | |"));
  EXPECT_THAT(text, Not(HasSubstr("1.1 (")));
}

TEST(MarkdownTables, KeepTheColumns) {
  std::istringstream lines(markdown_tables(sample_report()));
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with('|')) continue;
    EXPECT_EQ(std::ranges::count(line, '|'), 7) << line;
  }
}

TEST(WithFigures, ReplacesWhatStandsBetweenTheMarks) {
  const std::string document =
      std::string("above\n") + kFiguresBegin + "old\n" + kFiguresEnd + "below\n";
  const std::string once = with_figures(document, "new\n");
  EXPECT_EQ(once, std::string("above\n") + kFiguresBegin + "\nnew\n\n" + kFiguresEnd + "below\n");
  EXPECT_EQ(with_figures(once, "new\n"), once);
}

TEST(WithFigures, RefusesADocumentWithoutMarks) {
  const std::string begin = kFiguresBegin;
  const std::string end = kFiguresEnd;
  for (const std::string& document : {std::string(), begin, end, end + begin}) {
    EXPECT_THROW(with_figures(document, ""), std::runtime_error) << document;
  }
}

}  // namespace
}  // namespace bloomery::bench
