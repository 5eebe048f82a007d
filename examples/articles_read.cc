// SPDX-License-Identifier: Apache-2.0
// Which of these articles has the user not read within a month? A filter a user, which forgets by
// itself, so nobody keeps a table of what everybody has read. A new article is left out now and
// then, by the rate; one that was read is never shown again. The same in a Redis with the module,
// where the capacity, the rate and the window (in seconds) are the same for user 7:
//
//   redis-cli BLOOM.RESERVE read:7 0.01 300 WINDOW 2592000
//   redis-cli BLOOM.MADD read:7 article:1 article:2
//   redis-cli BLOOM.CHECK read:7 article:2 article:3
#include <bloomery/bloomery.h>

#include <cstdint>
#include <functional>
#include <iostream>
#include <map>
#include <utility>
#include <vector>

using namespace bloomery;

namespace {

constexpr std::uint64_t kDay = 24 * 3600 * 1000;

class ReadArticles {
 public:
  explicit ReadArticles(std::function<std::uint64_t()> clock) : clock_(std::move(clock)) {}

  void was_read(std::uint64_t user, std::uint64_t article) { of(user).insert(article); }

  std::vector<std::uint64_t> unread(std::uint64_t user,
                                    const std::vector<std::uint64_t>& articles) {
    std::vector<std::uint64_t> left;
    std::vector<std::uint64_t> answers((articles.size() + 63) / 64);
    of(user).may_contain_many(articles, answers);  // a bit an article
    for (std::size_t i = 0; i < articles.size(); ++i) {
      if ((answers[i / 64] >> (i % 64) & 1) == 0) left.push_back(articles[i]);
    }
    return left;
  }

 private:
  // For 300 articles a month.
  WindowedFilter& of(std::uint64_t user) {
    const FilterOptions options{.capacity = 300,
                                .false_positive_rate = 0.01,
                                .window = {.length_ms = 30 * kDay, .clock = clock_}};
    return users_.try_emplace(user, options).first->second;
  }

  std::function<std::uint64_t()> clock_;
  std::map<std::uint64_t, WindowedFilter> users_;
};

}  // namespace

int main() {
  std::uint64_t now = 20'000 * kDay;
  ReadArticles articles([&] { return now; });
  std::vector<std::uint64_t> all;
  for (std::uint64_t article = 1; article <= 400; ++article) all.push_back(article);
  for (std::uint64_t article = 1; article <= 200; ++article) articles.was_read(7, article);

  const std::size_t today = articles.unread(7, all).size();
  now += 29 * kDay;
  const std::size_t in_a_month = articles.unread(7, all).size();
  now += 10 * kDay;
  const std::size_t later = articles.unread(7, all).size();
  const std::size_t of_another = articles.unread(8, all).size();
  std::cout << "unread of 400: " << today << ", after 29 days " << in_a_month << ", after 39 "
            << later << "; of another user " << of_another << "\n";
  const bool holds = today <= 200 && today > 185 && in_a_month <= 200;
  return holds && later == 400 && of_another == 400 ? 0 : 1;
}
