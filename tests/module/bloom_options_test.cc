// SPDX-License-Identifier: Apache-2.0
#include "module/bloom_options.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace bloomery::module {
namespace {

using Strings = std::vector<std::string_view>;

BloomReserve parsed(Strings options) {
  Strings words{"BLOOM.RESERVE", "key", "0.001", "5000"};
  words.insert(words.end(), options.begin(), options.end());
  return parse_bloom_reserve(words, {});
}

std::string refusal(const Strings& options) {
  try {
    parsed(options);
  } catch (const Refusal& refused) {
    return refused.what();
  }
  return "";
}

std::string refusal_of(std::string_view rate, std::string_view capacity) {
  try {
    parse_bloom_reserve(Strings{"BLOOM.RESERVE", "key", rate, capacity}, {});
  } catch (const Refusal& refused) {
    return refused.what();
  }
  return "";
}

TEST(BloomReserve, GrowsUnlessToldOtherwise) {
  const BloomReserve usual = parsed({});
  EXPECT_EQ(usual.kind, FilterKind::scalable);
  EXPECT_EQ(usual.filter.capacity, 5000U);
  EXPECT_EQ(usual.filter.false_positive_rate, 0.001);
  EXPECT_EQ(parsed({"EXPANSION", "0"}).kind, FilterKind::blocked);
  EXPECT_EQ(parsed({"layout", "classic"}).kind, FilterKind::classic);
  EXPECT_EQ(parsed({"LAYOUT", "blocked"}).kind, FilterKind::scalable);
  EXPECT_EQ(parsed({"COUNTING"}).kind, FilterKind::counting);
  EXPECT_EQ(parsed({"COUNTING", "LAYOUT", "classic"}).kind, FilterKind::classic_counting);
  const BloomReserve grows = parsed({"EXPANSION", "2.5", "TIGHTENING", "0.5"});
  EXPECT_EQ(grows.filter.growth.expansion, 2.5);
  EXPECT_EQ(grows.filter.growth.tightening, 0.5);
}

TEST(BloomReserve, TakesWindowsSeedsAndExpiry) {
  const BloomReserve window = parsed(
      {"WINDOW", "3600", "GENERATIONS", "2", "SEED", "18446744073709551615", "nx", "EX", "5"});
  EXPECT_EQ(window.kind, FilterKind::windowed);
  EXPECT_EQ(window.filter.window.length_ms, 3'600'000U);
  EXPECT_EQ(window.filter.window.generations, 2U);
  EXPECT_EQ(window.filter.seed, ~std::uint64_t{0});
  EXPECT_TRUE(window.terms.only_if_new);
  EXPECT_EQ(window.terms.expires_after_ms, 5000U);
  EXPECT_TRUE(parsed({"SECRET"}).filter.secret);
}

TEST(BloomReserve, RefusesWhatContradictsItself) {
  for (const Strings& options : std::vector<Strings>{{"EXPANSION"},
                                                     {"EXPANSION", "x"},
                                                     {"EXPANSION", "2", "EXPANSION", "2"},
                                                     {"NX", "NX"},
                                                     {"FOO"},
                                                     {""},
                                                     {"LAYOUT", "round"},
                                                     {"LAYOUT", "classic", "EXPANSION", "2"},
                                                     {"COUNTING", "EXPANSION", "2"},
                                                     {"COUNTING", "WINDOW", "5"},
                                                     {"WINDOW", "5", "LAYOUT", "classic"},
                                                     {"WINDOW", "5", "EXPANSION", "2"},
                                                     {"WINDOW", "0"},
                                                     {"WINDOW", "-1"},
                                                     {"WINDOW", "99999999999999999999"},
                                                     {"WINDOW", "5", "GENERATIONS", "8"},
                                                     {"GENERATIONS", "2"},
                                                     {"TIGHTENING", "0.5", "EXPANSION", "0"},
                                                     {"SEED", "1", "SECRET"},
                                                     {"SEED", "-1"},
                                                     {"SEED", "0x10"},
                                                     {"EX", "0"},
                                                     {"EX", "1.5"},
                                                     {"EX", " 1"}}) {
    EXPECT_EQ(refusal(options).substr(0, 4), "ERR ") << options.front();
  }
}

TEST(BloomReserve, WantsARateAndACapacity) {
  EXPECT_EQ(refusal_of("0.01", "1"), "");
  for (const char* rate :
       {"0", "-0", "1", "-1", "2", "nan", "inf", "1e-26", "1e-400", "", "x", "0.1 "}) {
    EXPECT_EQ(refusal_of(rate, "100").substr(0, 18), "ERR the error rate") << rate;
  }
  for (const char* capacity : {"0", "-1", "1e3", "", "1.5", "1073741825", "99999999999999999999"}) {
    EXPECT_EQ(refusal_of("0.01", capacity).substr(0, 16), "ERR the capacity") << capacity;
  }
}

}  // namespace
}  // namespace bloomery::module
