// SPDX-License-Identifier: Apache-2.0
#include "module/bf_options.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

#include <string>
#include <vector>

namespace bloomery::module {
namespace {

using Strings = std::vector<std::string_view>;

std::string refusal_of_reserve(const Strings& words, const Settings& settings = {}) {
  try {
    parse_reserve(words, settings);
  } catch (const Refusal& refusal) {
    return refusal.what();
  }
  return "";
}

std::string refusal_of_insert(const Strings& words) {
  try {
    parse_insert(words, {});
  } catch (const Refusal& refusal) {
    return refusal.what();
  } catch (const WrongArity&) {
    return "arity";
  }
  return "";
}

std::string refusal_of_settings(const Strings& words) {
  try {
    parse_settings(words);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(Numbers, AreTheWholeOfTheirText) {
  for (const char* text : {"0", "7", "-7", "9223372036854775807"}) {
    ASSERT_TRUE(parse_integer(text)) << text;
    EXPECT_EQ(std::to_string(*parse_integer(text)), text);
  }
  for (const char* text :
       {"", "-", "+7", " 7", "7 ", "07", "-0", "-07", "7.0", "7e1", "0x7", "9223372036854775808"}) {
    EXPECT_FALSE(parse_integer(text)) << text;
  }
  for (const char* text : {"0.01", "+0.01", "1e-2", ".01", "1e-02"}) {
    ASSERT_TRUE(parse_real(text)) << text;
    EXPECT_EQ(*parse_real(text), 0.01);
  }
  EXPECT_TRUE(parse_real("5e-324"));
  EXPECT_TRUE(parse_real("inf"));
  for (const char* text :
       {"", "nan", " 0.01", "0.01 ", "0,01", "0x1p-4", "1e400", "1e-400", "+-1", "++1", "rate"}) {
    EXPECT_FALSE(parse_real(text)) << text;
  }
  EXPECT_FALSE(parse_real(std::string_view("0.1\0", 4)));
}

TEST(ReserveOptions, AreCheckedInTheOrderOfRedisBloom) {
  EXPECT_EQ(refusal_of_reserve({"", "k", "x", "x", "EXPANSION"}), "ERR bad error rate");
  EXPECT_EQ(refusal_of_reserve({"", "k", "nan", "1"}), "ERR bad error rate");
  for (const char* rate : {"0", "-0", "1", "-0.1", "7", "inf"}) {
    EXPECT_EQ(refusal_of_reserve({"", "k", rate, "x"}),
              "ERR error rate must be in the range (0.000000, 1.000000)");
  }
  EXPECT_EQ(refusal_of_reserve({"", "k", "0.1", "x", "EXPANSION"}), "ERR bad capacity");
  for (const char* capacity : {"0", "-1", "1073741825"}) {
    EXPECT_EQ(refusal_of_reserve({"", "k", "0.1", capacity}),
              "ERR capacity must be in the range [1, 1073741824]");
  }
  EXPECT_EQ(refusal_of_reserve({"", "k", "0.1", "9", "expansion"}), "ERR no expansion");
  EXPECT_EQ(refusal_of_reserve({"", "k", "0.1", "9", "x", "EXPANSION"}), "ERR no expansion");
  EXPECT_EQ(refusal_of_reserve({"", "k", "0.1", "9", "EXPANSION", "x"}), "ERR bad expansion");
  EXPECT_EQ(refusal_of_reserve({"", "k", "0.1", "9", "EXPANSION", "NONSCALING"}),
            "ERR bad expansion");
  for (const char* expansion : {"-1", "32769"}) {
    EXPECT_EQ(refusal_of_reserve({"", "k", "0.1", "9", "EXPANSION", expansion}),
              "ERR expansion must be in the range [0, 32768]");
  }
  EXPECT_EQ(refusal_of_reserve({"", "k", "0.1", "9", "NONSCALING", "EXPANSION", "2"}),
            "Nonscaling filters cannot expand");
}

TEST(ReserveOptions, SayWhatTheFilterIs) {
  const Settings settings{.expansion = 4};
  const auto usual = parse_reserve(Strings{"", "k", "0.001", "50"}, settings);
  EXPECT_EQ(usual.error_rate, 0.001);
  EXPECT_EQ(usual.capacity, 50U);
  EXPECT_EQ(usual.expansion, 4U);
  EXPECT_FALSE(usual.nonscaling);
  EXPECT_EQ(parse_reserve(Strings{"", "k", "0.9", "50"}, settings).error_rate, 0.25);
  EXPECT_EQ(parse_reserve(Strings{"", "k", "0.1", "50", "x", "expanSION", "7"}, {}).expansion, 7U);
  EXPECT_TRUE(parse_reserve(Strings{"", "k", "0.1", "50", "EXPANSION", "0"}, {}).nonscaling);
  EXPECT_TRUE(
      parse_reserve(Strings{"", "k", "0.1", "50", "nonscaling", "EXPANSION", "0"}, {}).nonscaling);
  EXPECT_EQ(parse_reserve(Strings{"", "k", "0.1", "50", "nonscaling"}, settings).expansion, 4U);
  EXPECT_FALSE(parse_reserve(Strings{"BF.RESERVE", "EXPANSION", "0.1", "50"}, {}).nonscaling);
}

TEST(Options, OfAServerWhoseFiltersDoNotGrow) {
  const Settings still{.expansion = 0};
  EXPECT_TRUE(parse_reserve(Strings{"", "k", "0.1", "50"}, still).nonscaling);
  EXPECT_EQ(refusal_of_reserve({"", "k", "0.1", "9", "EXPANSION", "2"}, still),
            "Nonscaling filters cannot expand");
  const Strings insert{"", "k", "EXPANSION", "2", "ITEMS", "a"};
  EXPECT_TRUE(parse_insert(insert, still).filter.nonscaling);
  EXPECT_EQ(parse_insert(insert, still).filter.expansion, 2U);
}

TEST(Options, OfAPrimaryMeanWhatItSaysWhateverTheServerUses) {
  for (const std::uint32_t usual : {0U, 5U}) {
    const Settings settings{.expansion = usual, .is_replay = true};
    const auto still = parse_reserve(Strings{"", "k", "0.1", "9", "NONSCALING"}, settings);
    EXPECT_TRUE(still.nonscaling);
    EXPECT_EQ(still.expansion, 2U);
    const auto still4 =
        parse_reserve(Strings{"", "k", "0.1", "9", "EXPANSION", "4", "NONSCALING"}, settings);
    EXPECT_TRUE(still4.nonscaling);
    EXPECT_EQ(still4.expansion, 4U);
    const auto grows = parse_reserve(Strings{"", "k", "0.1", "9", "EXPANSION", "4"}, settings);
    EXPECT_FALSE(grows.nonscaling);
    const Strings insert{"", "k", "EXPANSION", "4", "ITEMS", "a"};
    EXPECT_FALSE(parse_insert(insert, settings).filter.nonscaling);
  }
}

// A 2.x primary had neither a cap on rates nor most expansions and capacities.
TEST(Options, OfAPrimaryHaveNoLimitsOfClients) {
  const Settings settings{.most_capacity = std::numeric_limits<std::int64_t>::max(),
                          .is_replay = true};
  const auto high =
      parse_reserve(Strings{"", "k", "0.9", "4000000000000", "EXPANSION", "70000"}, settings);
  EXPECT_EQ(high.error_rate, 0.9);
  EXPECT_EQ(high.capacity, 4'000'000'000'000U);
  EXPECT_EQ(high.expansion, 70'000U);
  EXPECT_FALSE(high.nonscaling);
  const auto insert =
      parse_insert(Strings{"", "k", "ERROR", "0.5", "EXPANSION", "70000", "ITEMS", "a"}, settings);
  EXPECT_EQ(insert.filter.error_rate, 0.5);
  EXPECT_EQ(insert.filter.expansion, 70'000U);
  EXPECT_TRUE(parse_reserve(Strings{"", "k", "0.1", "9", "EXPANSION", "0"}, settings).nonscaling);
  EXPECT_THROW(parse_reserve(Strings{"", "k", "0.1", "9", "EXPANSION", "70000"}, {}), Refusal);
}

TEST(InsertOptions, AreKnownByTheirLetters) {
  const Strings words{"", "k", "Err", "0.001", "cap", "50", "E", "3", "NOC", "items", "a", "b"};
  const InsertOptions options = parse_insert(words, {});
  EXPECT_EQ(options.filter.error_rate, 0.001);
  EXPECT_EQ(options.filter.capacity, 50U);
  EXPECT_EQ(options.filter.expansion, 3U);
  EXPECT_FALSE(options.create);
  EXPECT_EQ(options.first_item, 10U);
  // NONSCALING and an expansion of 0 win over growing, on either side of it.
  for (const Strings& both :
       {Strings{"", "k", "NONSCALING", "EXPANSION", "2", "ITEMS", "a"},
        Strings{"", "k", "EXPANSION", "2", "NONSCALING", "ITEMS", "a"},
        Strings{"", "k", "EXPANSION", "0", "ITEMS", "a"}, Strings{"", "k", "n", "ITEMS", "a"},
        Strings{"", "k", "NO", "ITEMS", "a"}}) {
    EXPECT_TRUE(parse_insert(both, {}).filter.nonscaling);
  }
}

TEST(InsertOptions, AreRefusedInTheWordsOfRedisBloom) {
  for (const char* rate : {"0", "1", "x"}) {
    EXPECT_EQ(refusal_of_insert({"", "k", "ERROR", rate, "ITEMS", "a"}), "Bad error rate");
  }
  for (const char* capacity : {"0", "x", "0.3", "1073741825"}) {
    EXPECT_EQ(refusal_of_insert({"", "k", "CAPACITY", capacity, "ITEMS", "a"}), "Bad capacity");
  }
  for (const char* expansion : {"-1", "x", "32769"}) {
    EXPECT_EQ(refusal_of_insert({"", "k", "EXPANSION", expansion, "ITEMS", "a"}), "Bad expansion");
  }
  EXPECT_EQ(refusal_of_insert({"", "k", "DONTEXIST", "ITEMS", "a"}), "Unknown argument received");
  EXPECT_EQ(refusal_of_insert({"", "k", "", "ITEMS", "a"}), "Unknown argument received");
  EXPECT_EQ(refusal_of_insert({"", "k", "NOCREATE", "ITEMS"}), "arity");
  EXPECT_EQ(refusal_of_insert({"", "k", "NOCREATE", "CAPACITY"}), "arity");
  EXPECT_EQ(refusal_of_insert({"", "k", "ERROR"}), "arity");
  EXPECT_EQ(refusal_of_insert({"", "k", "NOCREATE", "NONSCALING"}), "arity");
}

TEST(ReserveTerms, StandAnywhereBehindTheCapacity) {
  const Strings both{"", "k", "0.1", "9", "ex", "60", "NONSCALING", "NX"};
  const KeyTerms terms = parse_reserve_terms(both);
  EXPECT_TRUE(terms.only_if_new);
  EXPECT_EQ(terms.expires_after_ms, 60'000U);
  EXPECT_TRUE(parse_reserve(both, {}).nonscaling);
  EXPECT_THROW(parse_reserve_terms(Strings{"", "k", "0.1", "9", "NX", "a", "b", "c", "d"}),
               WrongArity);
  const KeyTerms none = parse_reserve_terms(Strings{"NX", "EX", "0.1", "9"});
  EXPECT_FALSE(none.only_if_new);
  EXPECT_EQ(none.expires_after_ms, 0U);
  EXPECT_THROW(parse_reserve_terms(Strings{"", "k", "0.1", "9", "EX"}), Refusal);
  for (const char* seconds : {"0", "-1", "x", "1.5", "3153600001", ""}) {
    EXPECT_THROW(parse_reserve_terms(Strings{"", "k", "0.1", "9", "EX", seconds}), Refusal);
    EXPECT_EQ(refusal_of_insert({"", "k", "EX", seconds, "ITEMS", "a"}),
              "ERR EX must be a whole number from 1 to 3153600000");
  }
}

TEST(InsertOptions, HaveTermsThatRedisBloomTakesForOthers) {
  const Strings words{"", "k", "nx", "EX", "60", "EXPANSION", "3", "ITEMS", "EX", "NX"};
  const InsertOptions options = parse_insert(words, {});
  EXPECT_TRUE(options.terms.only_if_new);
  EXPECT_EQ(options.terms.expires_after_ms, 60'000U);
  EXPECT_EQ(options.filter.expansion, 3U);
  EXPECT_FALSE(options.filter.nonscaling);
  EXPECT_EQ(options.first_item, 8U);
  EXPECT_NE(refusal_of_insert({"", "k", "NX", "NOCREATE", "ITEMS", "a"}), "");
  // NX and EX are NONSCALING and EXPANSION from a primary that is RedisBloom.
  const InsertOptions theirs =
      parse_insert(Strings{"", "k", "EX", "4", "NX", "ITEMS", "a"}, {.is_replay = true});
  EXPECT_EQ(theirs.filter.expansion, 4U);
  EXPECT_TRUE(theirs.filter.nonscaling);
  EXPECT_FALSE(theirs.terms.only_if_new);
  EXPECT_EQ(theirs.terms.expires_after_ms, 0U);
}

TEST(Settings, AreTheirOwnText) {
  for (const Setting& each : all_settings()) {
    Settings settings;
    const std::string text = each.text(settings);
    each.set(settings, text);
    EXPECT_EQ(each.text(settings), text) << each.name;
    if (each.get != nullptr) {
      each.set(settings, "5");
      EXPECT_EQ(each.get(settings), 5U) << each.name;
    }
  }
}

TEST(Settings, AreReadByOldAndNewNames) {
  const Settings old = parse_settings(Strings{"ERROR_RATE", "0.001", "INITIAL_SIZE", "400"});
  EXPECT_EQ(old.error_rate, 0.001);
  EXPECT_EQ(old.capacity, 400U);
  EXPECT_EQ(old.expansion, 2U);
  const Settings all =
      parse_settings(Strings{"bf-error-rate", "0.5", "bf-initial-size", "1", "bf-expansion-factor",
                             "0", "BF-MAX-CAPACITY", "1099511627776"});
  EXPECT_EQ(all.error_rate, 0.25);
  EXPECT_EQ(all.capacity, 1U);
  EXPECT_EQ(all.expansion, 0U);
  EXPECT_EQ(all.most_capacity, kMostCapacity);
  EXPECT_TRUE(usual_options(all).nonscaling);

  EXPECT_EQ(refusal_of_settings({"bf-error-rate", "1"}),
            "Value for `bf-error-rate` must be in the range (0.000000, 1.000000)");
  EXPECT_EQ(refusal_of_settings({"bf-expansion-factor", "32769"}),
            "Value for `bf-expansion-factor` must be in the range [0, 32768]");
  EXPECT_EQ(refusal_of_settings({"bf-initial-size", "many"}),
            "Invalid value for `bf-initial-size`");
  EXPECT_NE(refusal_of_settings({"bf-initial-size"}), "");
  EXPECT_NE(refusal_of_settings({"bf-size", "1"}), "");
}

}  // namespace
}  // namespace bloomery::module
