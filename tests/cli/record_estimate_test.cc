// SPDX-License-Identifier: Apache-2.0
#include "cli/dedup/record_estimate.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/source/temporary_folder.h"

namespace bloomery::cli {
namespace {

std::uint64_t estimate(const std::string& bytes) {
  const TemporaryFolder folder;
  return estimate_records(InputFile::open(folder.write("file", bytes)), '\n');
}

TEST(RecordEstimate, IsExactForSmallFiles) {
  EXPECT_EQ(estimate(""), 0U);
  EXPECT_EQ(estimate("a\nb"), 2U);
  EXPECT_EQ(estimate(std::string(1 << 20, '\n')), 1U << 20);
}

TEST(RecordEstimate, IsALittleTooHighForEvenFiles) {
  std::string bytes;
  for (int i = 0; i < 100'000; ++i) bytes += "a line of forty bytes and a newline....\n";
  EXPECT_GE(estimate(bytes), 100'000U);
  EXPECT_LE(estimate(bytes), 110'000U);
}

TEST(RecordEstimate, IsEnoughForUnevenFiles) {
  // Long lines first, short ones at the end: the front alone would mislead.
  std::string bytes;
  for (int i = 0; i < 3'000; ++i) bytes += std::string(1'000, 'x') + '\n';
  for (int i = 0; i < 500'000; ++i) bytes += "y\n";
  EXPECT_GE(estimate(bytes), 503'000U);
  EXPECT_LE(estimate(bytes), 1'500'000U);
}

TEST(RecordEstimate, IsOneForALongRecord) {
  EXPECT_EQ(estimate(std::string(3'000'000, 'x')), 1U);
}

}  // namespace
}  // namespace bloomery::cli
