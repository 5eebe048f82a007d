// SPDX-License-Identifier: Apache-2.0
// The parts of the demo that its process cannot show.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "bloomery/errors.h"
#include "cli/bar_chart.h"
#include "cli/demo/demo_report.h"
#include "cli/demo/key_sample.h"
#include "cli/demo/next_commands.h"
#include "cli/demo/request_stream.h"
#include "cli/demo/word_database.h"
#include "cli/demo/word_list.h"
#include "tests/source/temporary_folder.h"

namespace bloomery::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string lines(std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += "w\n";
  return text;
}

TEST(WordListFile, IsTheHugeOneOrAnotherThatIsLongEnough) {
  const TemporaryFolder folder;
  folder.write("short", lines(1000));
  const auto message = [&] {
    try {
      find_word_list(folder.path(""));
    } catch (const StoreError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_THAT(message(), AllOf(HasSubstr("install wamerican-huge"), HasSubstr("--db")));
  folder.write("british", lines(kFewestWords));
  EXPECT_EQ(find_word_list(folder.path("")).path, folder.path("british"));
  EXPECT_EQ(find_word_list(folder.path("")).word_count, kFewestWords);
  folder.write("american-english-huge", lines(kFewestWords + 1));
  EXPECT_EQ(find_word_list(folder.path("")).word_count, kFewestWords + 1);
  EXPECT_THROW(find_word_list(folder.path("missing")), StoreError);
}

TEST(Words, AreReversedByCharacters) {
  EXPECT_EQ(reversed_word(""), "");
  EXPECT_EQ(reversed_word("abc"), "cba");
  EXPECT_EQ(reversed_word("Ångström"), "mörtsgnÅ");
  EXPECT_EQ(reversed_word("a€"), "€a");
}

TEST(RequestStream, NeverAsksForOneAbsentKeyTwice) {
  const std::vector<std::string> real{"a", "b"};
  for (const bool integers : {false, true}) {
    const RequestStream stream(real,
                               {.request_count = 100'000, .seed = 3, .integer_keys = integers});
    std::set<Key> absent;
    for (const Request& request : stream.requests()) {
      if (!request.is_real) absent.insert(request.key);
    }
    EXPECT_EQ(absent.size(), stream.absent_count());
    EXPECT_EQ(stream.requests().size(), 100'000U);
  }
}

TEST(RequestStream, AsksForTheFirstKeysMostOften) {
  std::vector<std::string> real;
  for (int i = 0; i < 1000; ++i) real.push_back(std::to_string(i));
  const RequestStream stream(real, {.request_count = 500'000, .seed = 3});
  std::vector<double> counts(real.size());
  for (const Request& request : stream.requests()) {
    if (request.is_real) ++counts[std::stoul(std::string(request.key))];
  }
  // 100,000 over a harmonic sum of 7.485: 13,360 for the first, half of it for the second.
  EXPECT_NEAR(counts[0], 13'360, 500);
  EXPECT_NEAR(counts[1], 6'680, 350);
  EXPECT_NEAR(counts[9], 1'336, 150);
}

TEST(KeySample, TakesEveryKeyWithTheSameChance) {
  std::size_t early = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    KeySample sample(50, seed);
    for (int i = 0; i < 1000; ++i) sample.add(std::to_string(i));
    const auto keys = std::move(sample).take();
    ASSERT_EQ(keys.size(), 50U);
    for (const auto& key : keys) early += std::stoi(key) < 500 ? 1 : 0;
  }
  // Half of 10,000, whose standard deviation is below 50.
  EXPECT_NEAR(static_cast<double>(early), 5000, 200);
}

TEST(KeySample, LeavesOutKeysThatAreTooLong) {
  KeySample sample(10, 1);
  sample.add(std::string(KeySample::kMostKeyBytes + 1, 'x'));
  sample.add("short");
  EXPECT_EQ(std::move(sample).take(), std::vector<std::string>{"short"});
}

TEST(BarChart, FillsTheWidthAndShowsTheSmallest) {
  const std::vector<Bar> bars{{"all", 1000, "1,000"}, {"few", 1, "1"}, {"no", 0, "0"}};
  EXPECT_EQ(bar_chart(bars, {.width = 34}),
            "  all  ####################  1,000\n"
            "  few  #  1\n"
            "  no   0\n");
  EXPECT_EQ(bar_chart({{"a", 20, "20"}, {"b", 11, "11"}}, {.width = 17, .has_unicode = true}),
            "  a  ██████████  20\n"
            "  b  █████▌  11\n");
  EXPECT_EQ(bar_chart({{"none", 0, "0"}}, {}), "  none  0\n");
}

TEST(Terminal, WrapsTextUnderItsMargin) {
  const Terminal terminal{.width = 20};
  EXPECT_EQ(wrapped("Name  ", "one two three four\nfive", terminal),
            "Name  one two three\n"
            "      four\n"
            "      five\n");
  EXPECT_EQ(wrapped("", "abcdefghijklmnopqrstuvwxyz a", terminal),
            "abcdefghijklmnopqrstuvwxyz\na\n");
}

TEST(NextCommands, EscapeWhatALocationAndAShellWouldRead) {
  EXPECT_EQ(percent_encode("./my_shop-1.db"), "./my_shop-1.db");
  EXPECT_EQ(percent_encode("a'b c&d?%"), "a%27b%20c%26d%3F%25");
}

}  // namespace
}  // namespace bloomery::cli
