// SPDX-License-Identifier: Apache-2.0
#include "cli/report.h"

#include <gtest/gtest.h>

#include "cli/text_table.h"

namespace bloomery::cli {
namespace {

TEST(Report, IsTextOrJsonInTheOrderOfItsFields) {
  Report report;
  report.add("kind", "blocked");
  report.add("bit_count", 512, "512 bits");
  report.add("secret", false);
  report.add("predicted_rate", 0.0123456);
  report.add_json("extra", {1, 2});
  EXPECT_EQ(report.text(),
            "kind            blocked\n"
            "bit count       512 bits\n"
            "secret          no\n"
            "predicted rate  0.01235\n");
  EXPECT_EQ(report.json().dump(),
            R"({"kind":"blocked","bit_count":512,"secret":false,"predicted_rate":0.0123456,)"
            R"("extra":[1,2]})");
  EXPECT_EQ(report.text_of("bit_count"), "512 bits");
  EXPECT_EQ(report.text_of("extra"), "-");
}

TEST(Report, ShowsNumbersToPeople) {
  EXPECT_EQ(count_text(9'999), "9999");
  EXPECT_EQ(count_text(10'000'000), "10000000 (10M)");
  EXPECT_EQ(bytes_text(64), "64");
  EXPECT_EQ(bytes_text(65'536), "65536 (64.0 KiB)");
  EXPECT_EQ(rate_text(0.01), "0.01 (1 in 100)");
  EXPECT_EQ(rate_text(1e-20), "1e-20 (1 in 1e+20)");
  EXPECT_EQ(rate_text(0), "0");
  EXPECT_EQ(rate_text(0.75), "0.75");
}

TEST(TextTable, AlignsColumns) {
  TextTable table;
  table.add_row({"", "a", "long"});
  table.add_row({"\xc3\xa9t\xc3\xa9", "12", "1"});
  EXPECT_EQ(table.text(1), "       a  long\n \xc3\xa9t\xc3\xa9  12     1\n");
}

}  // namespace
}  // namespace bloomery::cli
