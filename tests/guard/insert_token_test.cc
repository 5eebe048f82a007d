// SPDX-License-Identifier: Apache-2.0
#include "bloomery/guard/insert_token.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <utility>

namespace bloomery {
namespace {

TEST(InsertToken, EndsOnceHoweverItIsMovedAndReleased) {
  int ends = 0;
  int given_up = 0;
  {
    InsertToken first([&](const CallContext*) { ++ends; }, [&] { ++given_up; });
    InsertToken second(std::move(first));
    EXPECT_EQ(ends, 0);
    second.release();
    EXPECT_EQ(ends, 1);
    second.release();
  }
  EXPECT_EQ(ends, 1);
  EXPECT_EQ(given_up, 0);
}

TEST(InsertToken, EndsWithItsScope) {
  int ends = 0;
  {
    const InsertToken token([&](const CallContext*) { ++ends; }, [] {});
  }
  EXPECT_EQ(ends, 1);
}

TEST(InsertToken, OnlyReleaseTellsOfAFailureAndMayBeCalledAgain) {
  int tries = 0;
  int given_up = 0;
  const auto fail_twice = [&](const CallContext*) {
    if (++tries <= 2) throw std::runtime_error("cache is away");
  };
  {
    InsertToken token(fail_twice, [&] { ++given_up; });
    EXPECT_THROW(token.release(), std::runtime_error);
    EXPECT_THROW(token.release(), std::runtime_error);
    token.release();
  }
  EXPECT_EQ(tries, 3);
  EXPECT_EQ(given_up, 0);
}

TEST(InsertToken, IsGivenUpWhereItsScopeEndsAndItCannot) {
  int given_up = 0;
  const auto fail = [](const CallContext*) { throw std::runtime_error("cache is away"); };
  EXPECT_NO_THROW({ const InsertToken token(fail, [&] { ++given_up; }); });
  EXPECT_EQ(given_up, 1);
}

}  // namespace
}  // namespace bloomery
