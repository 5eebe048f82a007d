#include "bloomery/guard/insert_token.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <utility>

namespace bloomery {
namespace {

TEST(InsertToken, EndsOnceHoweverItIsMovedAndReleased) {
  int ends = 0;
  {
    InsertToken first([&] { ++ends; });
    InsertToken second(std::move(first));
    EXPECT_EQ(ends, 0);
    second.release();
    EXPECT_EQ(ends, 1);
    second.release();
  }
  EXPECT_EQ(ends, 1);
}

TEST(InsertToken, EndsWithItsScope) {
  int ends = 0;
  {
    const InsertToken token([&] { ++ends; });
  }
  EXPECT_EQ(ends, 1);
}

TEST(InsertToken, OnlyReleaseTellsOfAFailure) {
  const auto fail = [] { throw std::runtime_error("cache is away"); };
  EXPECT_NO_THROW({ const InsertToken token(fail); });
  InsertToken token(fail);
  EXPECT_THROW(token.release(), std::runtime_error);
}

}  // namespace
}  // namespace bloomery
