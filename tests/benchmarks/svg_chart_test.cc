#include "benchmarks/svg_chart.h"

#include <gmock/gmock.h>

#include <stdexcept>

#include "tests/benchmarks/sample_report.h"
#include "tests/benchmarks/xml_check.h"

namespace bloomery::bench {
namespace {

using testing::HasSubstr;
using testing::Not;

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST(SvgChart, IsWellFormed) {
  EXPECT_EQ(XmlCheck::fault(draw_chart(sample_report())), std::nullopt);
}

TEST(SvgChart, EscapesWhatNamesContain) {
  Report report = sample_report();
  report.sizes[0].rows[0].row = "<b> & \"c\" 'd' \x01";
  const std::string chart = draw_chart(report);
  EXPECT_EQ(XmlCheck::fault(chart), std::nullopt);
  EXPECT_THAT(chart, HasSubstr("&lt;b&gt; &amp; &quot;c&quot; &apos;d&apos;  <"));
}

TEST(SvgChart, NamesMachineAndDate) {
  const std::string chart = draw_chart(sample_report());
  EXPECT_THAT(chart, HasSubstr("Measured on 2026-01-31: Some &lt;Processor&gt; &amp; Co, 2 "));
  EXPECT_THAT(chart, HasSubstr("L2 1.0 MiB"));
  EXPECT_THAT(chart, HasSubstr("memory 8.0 GiB"));
}

TEST(SvgChart, ShowsBatchesAndSaysWhatIsSingle) {
  const std::string chart = draw_chart(sample_report());
  EXPECT_THAT(chart, HasSubstr(">3.5</text>"));
  EXPECT_THAT(chart, HasSubstr(">4.2</text>"));
  EXPECT_THAT(chart, HasSubstr(">170 single</text>"));
  EXPECT_THAT(chart, Not(HasSubstr(">8.5")));
}

TEST(SvgChart, GivesWrongRowsNoBar) {
  Report report = sample_report();
  auto& rows = report.sizes[0].rows;
  const std::string all = draw_chart(report);
  EXPECT_THAT(all, HasSubstr("WRONG: its rate is 1.31 %, asked for 1 %"));
  EXPECT_THAT(all, HasSubstr("WRONG: loses keys"));
  EXPECT_THAT(all, Not(HasSubstr(">1.1<")));
  std::erase_if(rows, [](const RowResult& row) { return row.is_wrong(); });
  EXPECT_EQ(count(all, "<rect"), count(draw_chart(report), "<rect"));
}

TEST(SvgChart, SaysWhyARowIsLeftOut) {
  EXPECT_THAT(draw_chart(sample_report()),
              HasSubstr("not installed: apt install &quot;absent&quot;"));
}

TEST(SvgChart, CutsBarsThatWouldDwarfTheOthers) {
  Report report = sample_report();
  EXPECT_EQ(count(draw_chart(report), "class=\"cut\""), 2);
  report.sizes[0].rows[1].timing(Operation::insert_one) = Timing{5, 5};
  EXPECT_EQ(count(draw_chart(report), "class=\"cut\""), 1);
}

TEST(SvgChart, DrawsTheMemoryLimitOnceASize) {
  Report report = sample_report();
  const std::size_t one = count(draw_chart(report), "class=\"limit\"");
  report.sizes.push_back(report.sizes[0]);
  EXPECT_EQ(count(draw_chart(report), "class=\"limit\""), one + 1);
}

TEST(SvgChart, NeedsNothingElse) {
  const std::string chart = draw_chart(sample_report());
  for (const char* foreign : {"<script", "href", "url(", "@import", "<image"}) {
    EXPECT_THAT(chart, Not(HasSubstr(foreign)));
  }
}

TEST(SvgChart, RefusesAReportWithoutSpeeds) {
  EXPECT_THROW(draw_chart(Report{}), std::invalid_argument);
}

TEST(SvgChart, DrawsAReportOfZeros) {
  Report report = sample_report();
  report.sizes[0].limit = {};
  for (RowResult& row : report.sizes[0].rows) row.timings = {};
  const std::string chart = draw_chart(report);
  EXPECT_EQ(XmlCheck::fault(chart), std::nullopt);
  EXPECT_THAT(chart, Not(HasSubstr("nan")));
}

TEST(RoundUp, GoesToTheNextRoundNumber) {
  EXPECT_DOUBLE_EQ(round_up(0.3), 0.5);
  EXPECT_DOUBLE_EQ(round_up(1), 1);
  EXPECT_DOUBLE_EQ(round_up(14.6), 20);
  EXPECT_DOUBLE_EQ(round_up(51), 100);
  EXPECT_THROW(round_up(0), std::invalid_argument);
}

}  // namespace
}  // namespace bloomery::bench
