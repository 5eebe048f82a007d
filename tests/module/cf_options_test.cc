// SPDX-License-Identifier: Apache-2.0
#include "module/cf_options.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "module/refusal.h"

namespace bloomery::module {
namespace {

using Strings = std::vector<std::string_view>;

template <class Parse>
std::string refusal(Parse parse, const Strings& words) {
  try {
    parse(words, Settings{});
  } catch (const Refusal& refusal) {
    return refusal.what();
  } catch (const WrongArity&) {
    return "arity";
  }
  return "";
}

// Words end anywhere, and no word behind the last is looked at.
TEST(CuckooOptions, AreReadNoFurtherThanTheWordsGo) {
  const Strings reserve{"CF.RESERVE", "EXPANSION", "100", "BUCKETSIZE", "2", "x", "EXPANSION"};
  for (std::size_t size = 3; size <= reserve.size(); ++size) {
    const std::string why =
        refusal(parse_cuckoo_reserve, Strings(reserve.begin(), reserve.begin() + size));
    EXPECT_EQ(why, size % 2 == 0 ? "arity" : size == 7 ? "Couldn't parse EXPANSION" : "") << size;
  }
  const Strings insert{"CF.INSERT", "k", "NOCREATE", "CAPACITY", "8", "ITEMS", "ITEMS"};
  for (std::size_t size = 4; size <= insert.size(); ++size) {
    EXPECT_EQ(refusal(parse_cuckoo_insert, Strings(insert.begin(), insert.begin() + size)),
              size == insert.size() ? "" : "arity");
  }
}

TEST(CuckooOptions, AreThoseThatWereGiven) {
  const Strings words{"CF.RESERVE", "k", "100", "Expansion", "3", "bucketsize", "4"};
  const auto options = parse_cuckoo_reserve(words, {});
  EXPECT_EQ(options.capacity, 100U);
  EXPECT_EQ(options.bucket_size, 4U);
  EXPECT_EQ(options.max_iterations, 20U);
  EXPECT_EQ(options.expansion, 3U);
  const Strings items{"CF.INSERT", "k", "c", "77", "n", "I", "c", "n"};
  const auto insert = parse_cuckoo_insert(items, {});
  EXPECT_EQ(insert.filter.capacity, 77U);
  EXPECT_FALSE(insert.create);
  EXPECT_EQ(insert.first_item, 6U);
}

TEST(CuckooOptions, RefuseNumbersThatAreNone) {
  for (const char* number : {"", "1e3", "0x10", " 8", "8 ", "+8", "08", "8.0",
                             "9223372036854775808", "18446744073709551624"}) {
    EXPECT_EQ(refusal(parse_cuckoo_reserve, {"CF.RESERVE", "k", number}), "Bad capacity");
    EXPECT_EQ(refusal(parse_cuckoo_reserve, {"CF.RESERVE", "k", "8", "BUCKETSIZE", number}),
              "Couldn't parse BUCKETSIZE");
    EXPECT_EQ(refusal(parse_cuckoo_insert, {"CF.INSERT", "k", "CAPACITY", number, "ITEMS", "a"}),
              "Bad capacity");
  }
  EXPECT_EQ(refusal(parse_cuckoo_reserve, {"CF.RESERVE", "k", "-9223372036854775808"}),
            "Capacity must be in the range [2 * BUCKETSIZE, 1073741824]");
}

}  // namespace
}  // namespace bloomery::module
