// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "cli/experiments/figure.h"

// golden/articles.json lists what each article says, as somebody read it there.
namespace bloomery::cli {

inline const nlohmann::json& article_table() {
  static const nlohmann::json kTable = nlohmann::json::parse(std::ifstream("golden/articles.json"));
  return kTable;
}

// Every number of a text, without the commas between thousands.
inline std::set<std::string> numbers_in(std::string text) {
  text = std::regex_replace(text, std::regex("([0-9]),([0-9]{3})"), "$1$2");
  const std::regex number("[0-9]+(\\.[0-9]+)?");
  return {std::sregex_token_iterator(text.begin(), text.end(), number),
          std::sregex_token_iterator()};
}

// Every number that a figure ascribes to its article is one of the article's; where there is none,
// the words are.
inline void expect_listed(const std::vector<Figure>& figures) {
  for (const Figure& figure : figures) {
    ASSERT_TRUE(article_table().contains(figure.post)) << figure.post;
    const nlohmann::json& article = article_table().at(std::string(figure.post));
    const std::string theirs(figure.theirs);
    const std::set<std::string> listed = article.at("numbers");
    const std::set<std::string> words = article.at("words");
    const std::set<std::string> said = numbers_in(theirs);
    EXPECT_TRUE(!said.empty() || words.contains(theirs)) << figure.post << ": " << theirs;
    for (const std::string& number : said) {
      EXPECT_TRUE(listed.contains(number))
          << figure.post << " does not say " << number << ": " << theirs;
    }
  }
}

}  // namespace bloomery::cli
