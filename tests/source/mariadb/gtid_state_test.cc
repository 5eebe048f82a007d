// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/mariadb/gtid_state.h"

#include <gtest/gtest.h>

#include "bloomery/errors.h"
#include "bloomery/place/fence_source.h"

namespace bloomery::mariadb {
namespace {

TEST(GtidState, EachTransactionOfAnyDomainMakesTheSumLarger) {
  GtidState state("0-1-100,7-2-3");
  EXPECT_EQ(state.sum(), 103U);
  state.advance(7, 1, 4);
  EXPECT_EQ(state.sum(), 104U);
  state.advance(9, 1, 1);  // a new domain
  EXPECT_EQ(state.sum(), 105U);
  state.advance(0, 1, 150);  // numbers may be left out
  EXPECT_EQ(state.sum(), 155U);
  EXPECT_EQ(state.text(), "0-1-150,7-1-4,9-1-1");
  EXPECT_EQ(GtidState(state.text()).sum(), state.sum());
  EXPECT_EQ(GtidState("").sum(), 0U);
  EXPECT_EQ(state.domains(), "0,7,9");
  EXPECT_TRUE(state.has(9));
  EXPECT_FALSE(state.has(8));
}

TEST(GtidState, ANumberThatDoesNotGrowIsAnotherHistory) {
  GtidState state("0-1-100");
  EXPECT_THROW(state.advance(0, 1, 100), SourceChanged);
  EXPECT_THROW(state.advance(0, 2, 7), SourceChanged);
  EXPECT_THROW(state.advance(1, 1, 18446744073709551615U), SourceChanged);
}

TEST(GtidState, WhatIsNoneIsRefused) {
  for (const char* const text : {"0", "0-1", "0-1-", "0-1-x", "0-1-5 ", "0-1-5,0-1-6", "-1-1-5",
                                 "0-1-99999999999999999999", "4294967296-1-1"}) {
    EXPECT_THROW(GtidState{text}, StoreError) << text;
  }
}

TEST(LogPosition, GrowsWithTheSumAndThenWithTheFile) {
  const std::uint64_t at = LogPosition::of(103, 5);
  EXPECT_EQ(LogPosition::sum(at), 103U);
  EXPECT_EQ(LogPosition::file(at), 5U);
  EXPECT_LT(at, LogPosition::of(103, 6));
  EXPECT_LT(LogPosition::of(103, 6), LogPosition::of(104, 1));
  EXPECT_THROW(LogPosition::of(std::uint64_t{1} << 44, 1), SourceChanged);
  EXPECT_THROW(LogPosition::of(1, std::uint64_t{1} << 20), SourceChanged);
}

TEST(LogFile, IsReadFromItsName) {
  const LogFile file("a.log-bin.000042");
  EXPECT_EQ(file.base, "a.log-bin");
  EXPECT_EQ(file.number, 42U);
  EXPECT_EQ(file.name(), "a.log-bin.000042");
  EXPECT_EQ(file.name_of(1234567), "a.log-bin.1234567");
  for (const char* const name :
       {"", "binlog", "binlog.", "binlog.index", "binlog.0001x", "binlog.99999999999999999999"}) {
    EXPECT_THROW(LogFile{name}, StoreError) << name;
  }
}

}  // namespace
}  // namespace bloomery::mariadb
