#include "bloomery/source/mariadb/gtid_state.h"

#include <gtest/gtest.h>

#include "bloomery/errors.h"
#include "bloomery/filter/fence_source.h"

namespace bloomery::mariadb {
namespace {

TEST(GtidState, EachTransactionOfAnyDomainMovesThePosition) {
  GtidState state("0-1-100,7-2-3");
  EXPECT_EQ(state.position(), 103U);
  state.advance(7, 1, 4);
  EXPECT_EQ(state.position(), 104U);
  state.advance(9, 1, 1);  // a new domain
  EXPECT_EQ(state.position(), 105U);
  state.advance(0, 1, 150);  // numbers may be left out
  EXPECT_EQ(state.position(), 155U);
  EXPECT_EQ(state.text(), "0-1-150,7-1-4,9-1-1");
  EXPECT_EQ(GtidState(state.text()).position(), state.position());
  EXPECT_EQ(GtidState("").position(), 0U);
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

}  // namespace
}  // namespace bloomery::mariadb
