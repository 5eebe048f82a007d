// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/shell.h"

namespace bloomery {
namespace {

using ::testing::HasSubstr;
using testing::Outcome;
using testing::Shell;

TEST(ExperimentsCommand, ShowsTheirFigureAndOursWithAVerdict) {
  const Outcome text = Shell().run("bloomery experiments --post penetration");
  EXPECT_EQ(text.status, 0);
  EXPECT_THAT(text.out, HasSubstr("通俗易懂讲布隆过滤器, jack_xu\n  https://juejin.cn/post/"));
  EXPECT_THAT(text.out, HasSubstr("theirs     100 of 100 members, 216 of 9,900 others"));
  EXPECT_THAT(text.out, HasSubstr("plausible "));
}

TEST(ExperimentsCommand, TakesTheWordOfAnArticle) {
  const nlohmann::json by_word =
      Shell().run("bloomery experiments --post javascript --json").json().at("figures");
  ASSERT_EQ(by_word.size(), 2U);
  EXPECT_EQ(by_word[0].at("post"), "javascript");
  EXPECT_EQ(by_word[0].at("title"), "布隆过滤器 Bloom Filter");
  EXPECT_EQ(by_word[1].at("verdict"), "wrong");
}

TEST(ExperimentsCommand, RefusesAnArticleWithoutFigures) {
  for (const char* const name : {"002", "005", "claims"}) {
    const Outcome outcome = Shell().run(std::string("bloomery experiments --post ") + name);
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.err, HasSubstr("there are guava, redis, javascript, penetration, php\n"));
  }
}

}  // namespace
}  // namespace bloomery
