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

// golden/articles.json has, of each article, what somebody noted who read it word by word: by what
// bloomery ascribes to it ("theirs"), the note that this rests on.
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

// Whatever a figure ascribes to its article was noted, and so was every number in it.
inline void expect_listed(const std::vector<Figure>& figures) {
  for (const Figure& figure : figures) {
    ASSERT_TRUE(article_table().contains(figure.post)) << figure.post;
    const nlohmann::json& says = article_table().at(std::string(figure.post)).at("says");
    const std::string theirs(figure.theirs);
    ASSERT_TRUE(says.contains(theirs)) << figure.post << " does not say: " << theirs;
    const std::set<std::string> noted = numbers_in(says.at(theirs));
    for (const std::string& number : numbers_in(theirs)) {
      EXPECT_TRUE(noted.contains(number))
          << figure.post << " does not say " << number << ": " << theirs;
    }
  }
}

}  // namespace bloomery::cli
