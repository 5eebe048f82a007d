// SPDX-License-Identifier: Apache-2.0
// The figures that are no matter of chance, one by one; and those that are, within their luck.
#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "cli/experiments/articles.h"
#include "cli/experiments/exact_interval.h"
#include "cli/experiments/figure.h"
#include "tests/cli/article_table.h"

namespace bloomery::cli {
namespace {

using Numbers = nlohmann::json;

std::vector<Numbers> numbers_of(const std::vector<Figure>& figures) {
  expect_listed(figures);
  std::vector<Numbers> all;
  for (const Figure& figure : figures) {
    EXPECT_FALSE(figure.what.empty() || figure.theirs.empty() || figure.ours.empty() ||
                 figure.remark.empty());
    all.push_back(Numbers::parse(figure.numbers.dump()));
  }
  return all;
}

TEST(Experiments, NameTheArticlesTitleAuthorAndLink) {
  ASSERT_EQ(kArticles.size(), article_table().size());
  for (const Article& article : kArticles) {
    const nlohmann::json& listed = article_table().at(std::string(article.word));
    EXPECT_EQ(article.title, listed.at("title").get<std::string>());
    EXPECT_EQ(article.author, listed.value("author", ""));
    EXPECT_EQ(article.link, listed.value("link", ""));
  }
}

TEST(Experiments, RepeatThoseOfGuava) {
  const auto figures = numbers_of(figures_of_guava());
  ASSERT_EQ(figures.size(), 5U);
  EXPECT_EQ(figures[0]["false_positives"], 29'828);
  EXPECT_EQ(figures[0]["bit_count"], 72'984'448);
  EXPECT_EQ(figures[0]["probe_count"], 5);
  EXPECT_EQ(figures[0]["bits_set"], 36'198'521);
  EXPECT_EQ(figures[1]["bit_counts"], Numbers({8'142'363, 7'298'440}));
  EXPECT_EQ(figures[2]["false_positives"], 283);
  EXPECT_EQ(figures[2]["bits_set"], 9'029'126);
  EXPECT_GT(figures[3]["median_ns"], 0);
  // docs/experiments.md has these figures. With twice its keys a filter finds (3/4)^7 of others, 13
  // % and more.
  EXPECT_EQ(figures[4]["holds_absent"],
            Numbers({{"queries", 193'224}, {"denied_rows", 15'764}, {"denied_new_rows", 1'000}}));
  EXPECT_EQ(figures[4]["holds_present"],
            Numbers({{"queries", 4'026}, {"denied_rows", 0}, {"denied_new_rows", 0}}));
}

TEST(Experiments, RepeatThoseOfRedis) {
  const auto figures = numbers_of(figures_of_redis({.filters = 3, .keys = 2'000}));
  ASSERT_EQ(figures.size(), 7U);
  EXPECT_EQ(figures[0]["up_to_2_0_3"], 214);
  EXPECT_EQ(figures[0]["since_2_2_5"], 306);
  // 25 of 50,000 are expected since 2.2.5: half the asked rate.
  EXPECT_LE(figures[2]["since_2_2_5"]["rate_low"], 0.0005);
  EXPECT_GE(figures[2]["since_2_2_5"]["rate_high"], 0.0005);
  EXPECT_LE(figures[1]["since_2_2_5"]["rate_low"], 0.01);
  EXPECT_GE(figures[1]["up_to_2_0_3"]["rate_low"], 0.01);
  EXPECT_EQ(figures[3]["bit_count"], 12'939'828'810);
  EXPECT_NEAR(figures[3]["probe_count"].get<double>(), 9.966, 0.0005);
  EXPECT_EQ(figures[3]["redis_strings"], 4);
  EXPECT_NEAR(figures[5]["rates"][0].get<double>(), 0.385, 0.0005);
  EXPECT_NEAR(figures[5]["rates"][1].get<double>(), 0.148, 0.0005);
  EXPECT_NEAR(figures[5]["rates"][2].get<double>(), 0.057, 0.0005);
  EXPECT_NEAR(figures[4]["bits_a_key"][1].get<double>(), 9.585, 0.0005);
  EXPECT_NEAR(figures[4]["bits_a_key"][2].get<double>(), 14.377, 0.001);
  EXPECT_NEAR(figures[4]["measured_rates"][1].get<double>(), 0.01, 0.001);
  if (figures[6].is_null()) GTEST_SKIP() << "no redis-server";
  EXPECT_GT(figures[6]["saved"], 0.9);
}

TEST(Experiments, RepeatThoseOfJavascript) {
  const auto figures = numbers_of(figures_of_javascript());
  ASSERT_EQ(figures.size(), 2U);
  EXPECT_EQ(figures[0]["digits"], Numbers({true, false}));
  EXPECT_EQ(figures[0]["letters"], Numbers({true, true}));
  EXPECT_EQ(figures[1]["published"]["bits_set"], 1);
  EXPECT_EQ(figures[1]["published"]["false_positives"], 1000);
  EXPECT_LE(figures[1]["meant"]["false_positives"], 5);
  EXPECT_GT(figures[1]["meant"]["bits_set"], 1000);
}

TEST(Experiments, SayInOneLineThatNoRedisIsHere) {
  const char* const named = std::getenv("REDIS_SERVER");
  const std::string before = named == nullptr ? "" : named;
  setenv("REDIS_SERVER", "/nonexistent/redis-server", 1);
  const Figure figure = memory_of_a_set(10);
  setenv("REDIS_SERVER", before.c_str(), 1);  // empty is as good as none
  EXPECT_EQ(figure.verdict, Verdict::not_run);
  EXPECT_NE(figure.remark.find("REDIS_SERVER"), std::string::npos);
  EXPECT_EQ(figure.remark.find('\n'), std::string::npos);
}

TEST(Experiments, RepeatThoseOfPenetration) {
  const auto figures = numbers_of(figures_of_penetration(1));
  ASSERT_EQ(figures.size(), 3U);
  EXPECT_EQ(figures[0]["missed"], 900);
  EXPECT_EQ(figures[0]["missed_members"], 0);
  EXPECT_EQ(figures[0]["bit_count"], 4792);
  EXPECT_EQ(figures[0]["probe_count"], 3);
  EXPECT_LE(figures[1]["rate_low"], 0.0201);
  EXPECT_GE(figures[1]["rate_high"], 0.0201);
  EXPECT_NEAR(figures[2]["gibibytes"].get<double>(), 0.93, 0.005);
}

TEST(Experiments, RepeatThoseOfPhp) {
  const auto figures = numbers_of(figures_of_php({.records = 500}));
  ASSERT_EQ(figures.size(), 4U);
  EXPECT_NEAR(figures[0]["bound"].get<double>(), 0.0457, 0.00005);
  EXPECT_NEAR(figures[0]["rate"].get<double>(), 0.0272, 0.00005);
  // 272 are expected, whose deviation is 16.
  EXPECT_NEAR(figures[1]["false_positives"].get<double>(), 272, 50);
  EXPECT_EQ(figures[2]["odd_among_even"], 1000);
  EXPECT_EQ(figures[2]["range_beside"], 0);
  if (figures[3].is_null()) GTEST_SKIP() << "no redis-server";
  EXPECT_EQ(figures[3]["record_count"], 500);
  EXPECT_LT(figures[3]["pipelined_seconds"], figures[3]["a_trip_each_seconds"]);
}

// The values are from tables. For none in n there is a formula: the upper end is 1 - 0.025^(1/n).
TEST(Experiments, KnowTheExactIntervalOfABinomial) {
  EXPECT_EQ(exact_binomial_interval(0, 100).low, 0);
  EXPECT_NEAR(exact_binomial_interval(0, 100).high, 0.036217, 1e-6);
  EXPECT_EQ(exact_binomial_interval(10, 10).high, 1);
  EXPECT_NEAR(exact_binomial_interval(10, 10).low, 0.691503, 1e-6);
  EXPECT_NEAR(exact_binomial_interval(5, 50).low, 0.033275, 1e-6);
  EXPECT_NEAR(exact_binomial_interval(5, 50).high, 0.218135, 1e-6);
  const Interval many = exact_binomial_interval(5'000'000, 10'000'000);
  EXPECT_NEAR(many.low, 0.49969, 1e-5);
  EXPECT_NEAR(many.high, 0.50031, 1e-5);
}

}  // namespace
}  // namespace bloomery::cli
