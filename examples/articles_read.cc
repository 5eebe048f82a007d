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

#include <algorithm>
#include <cstddef>
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
  // Makes a window for 300 articles a month.
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
  constexpr std::uint64_t kReadArticles = 200;
  std::uint64_t now = 20'000 * kDay;
  ReadArticles articles([&] { return now; });
  std::vector<std::uint64_t> all;
  for (std::uint64_t article = 1; article <= 2 * kReadArticles; ++article) all.push_back(article);
  // Eight a day, for 25 days. Who reads a month's articles within a day gets more false positives.
  for (std::uint64_t article = 1; article <= kReadArticles; ++article) {
    articles.was_read(7, article);
    if (article % 8 == 0) now += kDay;
  }

  // Counts articles that were read among those shown: their numbers are the smaller ones.
  const auto read_among = [](const std::vector<std::uint64_t>& shown, std::uint64_t first) {
    return std::ranges::count_if(
        shown, [=](std::uint64_t article) { return first <= article && article <= kReadArticles; });
  };
  const auto today = articles.unread(7, all);
  const auto shown_again = read_among(today, 1);
  const auto left_out =
      std::ssize(all) - static_cast<std::ptrdiff_t>(kReadArticles + today.size()) + shown_again;
  now += 28 * kDay;  // the last eight are 29 days old
  const auto last_shown_again = read_among(articles.unread(7, all), kReadArticles - 7);
  now += 10 * kDay;
  const std::size_t later = articles.unread(7, all).size();
  const std::size_t of_another = articles.unread(8, all).size();
  std::cout << "User 7 has read 200 of 400 articles, eight a day. Of the other 200, "
            << 200 - left_out << " are shown, and " << left_out
            << " left out by false positives; of those that were read, " << shown_again
            << " are shown again.\n29 days after the last eight, " << last_shown_again
            << " of these are shown again. After 39 days, as a month is over, " << later
            << " of all 400 are. User 8, who has read nothing, is shown " << of_another << ".\n";
  const bool holds = shown_again == 0 && left_out < 8 && last_shown_again == 0;
  return holds && later == 400 && of_another == 400 ? 0 : 1;
}
