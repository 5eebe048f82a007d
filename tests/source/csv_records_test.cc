// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/csv_records.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "bloomery/source/csv_field.h"

namespace bloomery {
namespace {

// A random field, and how it may be written.
std::string random_field(std::mt19937& random) {
  static const std::string kBytes = "ab,\"\n\\\r';| ";
  std::string field(random() % 6, '\0');
  for (char& byte : field) byte = kBytes[random() % kBytes.size()];
  return field;
}
std::string written(const std::string& field, const std::string& delimiter, std::mt19937& random) {
  const bool must = field.find(delimiter) != std::string::npos || field.starts_with('"') ||
                    field.find('\n') != std::string::npos || field.ends_with('\r') ||
                    (delimiter.size() > 1 && !field.empty());
  if (!must && random() % 3 != 0) return field;
  std::string quoted = "\"";
  for (const char byte : field) quoted += byte == '"' ? "\"\"" : std::string(1, byte);
  return quoted + "\"";
}

// Random tables, given to the reader in parts of every length: each record ends where it was
// written to end, and has the fields that it was written of.
TEST(CsvRecords, EndWhereTheyWereWrittenToEnd) {
  std::mt19937 random(11);
  for (const std::string delimiter : {",", ";", "|", "::", "aab"}) {
    for (int table = 0; table < 400; ++table) {
      std::string text;
      std::vector<std::vector<std::string>> rows(1 + random() % 5);
      std::vector<std::size_t> ends;
      for (auto& row : rows) {
        row.resize(1 + random() % 4);
        for (std::size_t i = 0; i < row.size(); ++i) {
          row[i] = random_field(random);
          text += (i == 0 ? "" : delimiter) + written(row[i], delimiter, random);
        }
        text += '\n';
        ends.push_back(text.size());
      }
      const std::size_t step = 1 + random() % 7;
      CsvRecords records('\n', delimiter);
      std::vector<std::size_t> found;
      for (std::size_t have = 0, at = 0; have < text.size();) {
        have = std::min(text.size(), have + step);
        for (std::size_t end; (end = records.next(text.data(), at, have)) != kNoRecordEnd;) {
          found.push_back(at = end);
        }
        at = have;
      }
      ASSERT_EQ(found, ends) << text;
      EXPECT_FALSE(records.is_inside_quotes());
      for (std::size_t i = 0, begin = 0; i < rows.size(); begin = ends[i++]) {
        const std::string record = text.substr(begin, ends[i] - 1 - begin);
        for (std::uint32_t field = 1; field <= rows[i].size(); ++field) {
          std::string room;
          EXPECT_EQ(csv_field(record, delimiter, field, room), rows[i][field - 1]) << record;
        }
      }
    }
  }
}

TEST(CsvRecords, SayWhichFieldIsNotClosed) {
  CsvRecords records('\n', ",");
  const std::string text = "1,x\n2,\"y\n3,z\n";
  const std::size_t first = records.next(text.data(), 0, text.size());
  EXPECT_EQ(first, 4U);
  EXPECT_EQ(records.next(text.data(), first, text.size()), kNoRecordEnd);
  EXPECT_TRUE(records.is_inside_quotes());
  EXPECT_EQ(records.field(), 2U);
  EXPECT_EQ(records.opened_at(), 2U);
}

}  // namespace
}  // namespace bloomery
