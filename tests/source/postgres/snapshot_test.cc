// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/postgres/snapshot.h"

#include <gtest/gtest.h>

#include "bloomery/errors.h"

namespace bloomery::postgres {
namespace {

TEST(PostgresSnapshot, SeesWhatHadEnded) {
  const Snapshot some("10:20:10,14");
  for (const std::uint32_t seen : {3U, 9U, 11U, 13U, 15U, 19U}) EXPECT_TRUE(some.sees(seen));
  for (const std::uint32_t unseen : {10U, 14U, 20U, 21U}) EXPECT_FALSE(some.sees(unseen));
  const Snapshot none("20:20:");
  EXPECT_TRUE(none.sees(19));
  EXPECT_FALSE(none.sees(20));
}

// Numbers begin again after 2^32 of them.
TEST(PostgresSnapshot, GoesOnWhereNumbersBeginAgain) {
  const Snapshot late("12884901880:12884901898:12884901881,12884901891");  // 3 * 2^32, about
  EXPECT_TRUE(late.sees(4'294'967'290));
  EXPECT_FALSE(late.sees(4'294'967'289));
  EXPECT_TRUE(late.sees(4));
  EXPECT_FALSE(late.sees(3));
  EXPECT_FALSE(late.sees(10));
}

TEST(PostgresSnapshot, WhatIsNoneIsRefused) {
  for (const char* const text : {"", "1", "1:", "1:x:", "1:2:3;4", "-1:2:"}) {
    EXPECT_THROW(Snapshot{text}, FormatError) << text;
  }
}

}  // namespace
}  // namespace bloomery::postgres
