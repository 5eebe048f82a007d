// SPDX-License-Identifier: Apache-2.0
#include "bloomery/filter/stable_list.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace bloomery {
namespace {

std::vector<int> newest_first(const StableList<int>& list) {
  std::vector<int> seen;
  EXPECT_FALSE(list.any_of([&](int item) {
    seen.push_back(item);
    return false;
  }));
  return seen;
}

TEST(StableList, GoesFromTheNewestToTheOldest) {
  StableList<int> list;
  std::vector<int> items;
  for (int i = 0; i < 70; ++i) {
    EXPECT_EQ(newest_first(list), items) << i;
    list.append(std::make_unique<int>(i));
    items.insert(items.begin(), i);
    EXPECT_EQ(list[static_cast<std::size_t>(i)], i);
  }
  list.keep_first();
  EXPECT_EQ(newest_first(list), std::vector{0});
}

TEST(StableList, StopsWhereTheAnswerIsTrue) {
  StableList<int> list;
  for (int i = 0; i < 70; ++i) list.append(std::make_unique<int>(i));
  for (int wanted = 0; wanted < 70; ++wanted) {
    int asked = 0;
    EXPECT_TRUE(list.any_of([&](int item) {
      ++asked;
      return item == wanted;
    }));
    EXPECT_EQ(asked, 70 - wanted);
  }
}

}  // namespace
}  // namespace bloomery
