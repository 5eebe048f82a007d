// SPDX-License-Identifier: Apache-2.0
// bloomery experiments: the figures that the five articles print, run again.
#include <algorithm>
#include <array>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/ending_signals.h"
#include "cli/experiments/articles.h"
#include "cli/experiments/figure.h"
#include "cli/report.h"
#include "cli/stage.h"
#include "cli/text_table.h"

namespace bloomery::cli {
namespace {

constexpr const char* kExperimentsIntroduction =
    R"(Keys and seeds are fixed: every run prints the same, but for times. What needs a
Redis starts one of its own: $REDIS_SERVER, else redis-server.

Articles:
)";

constexpr const char* kExperimentsExamples = R"(
Examples:
  bloomery experiments --post php          the figures of one article
  bloomery experiments --post php --json)";

constexpr std::array<std::vector<Figure> (*)(), kArticles.size()> kFigures{
    figures_of_guava,
    [] { return figures_of_redis(); },
    figures_of_javascript,
    [] { return figures_of_penetration(); },
    [] { return figures_of_php(); },
};

std::string help_text() {
  std::string text = kExperimentsIntroduction;
  for (const Article& article : kArticles) {
    text += "  " + std::string(article.word);
    text.append(13 - article.word.size(), ' ');
    text += std::string(article.about) + "\n";
  }
  return text + kExperimentsExamples;
}

// "guava, redis, …"; refuses any other name.
const Article& article_named(std::string_view name) {
  std::string words;
  for (const Article& article : kArticles) {
    if (name == article.word) return article;
    words += (words.empty() ? "" : ", ") + std::string(article.word);
  }
  throw std::invalid_argument(std::string(name) + " is no article; there are " + words);
}

struct ExperimentsArguments {
  std::vector<std::string> posts;
  bool json = false;
};

Report::Value json_of(const Article& article, const Figure& figure) {
  return {{"post", figure.post},      {"title", article.title},
          {"author", article.author}, {"link", article.link},
          {"figure", figure.what},    {"theirs", figure.theirs},
          {"ours", figure.ours},      {"verdict", verdict_name(figure.verdict)},
          {"remark", figure.remark},  {"numbers", figure.numbers}};
}

std::string text_of(const Figure& figure) {
  TextTable table(TextTable::Align::left);
  table.add_row({"theirs", std::string(figure.theirs)});
  std::string label = "ours";
  for (std::size_t at = 0; at <= figure.ours.size(); label.clear()) {
    const std::size_t end = std::min(figure.ours.find('\n', at), figure.ours.size());
    table.add_row({label, figure.ours.substr(at, end - at)});
    at = end + 1;
  }
  table.add_row({std::string(verdict_name(figure.verdict)), figure.remark});
  return "  " + std::string(figure.what) + "\n" + table.text(5) + "\n";
}

std::string heading_of(const Article& article) {
  std::string text = std::string(article.word) + ": " + std::string(article.title);
  if (!article.author.empty()) text += ", " + std::string(article.author);
  if (!article.link.empty()) text += "\n  " + std::string(article.link);
  return text + "\n\n";
}

int experiments(const ExperimentsArguments& arguments) {
  Output output;
  Report::Value all = Report::Value::array();
  for (std::size_t i = 0; i < kArticles.size(); ++i) {
    const Article& article = kArticles[i];
    const bool wanted = arguments.posts.empty() ||
                        std::ranges::find(arguments.posts, article.word) != arguments.posts.end();
    if (!wanted) continue;
    if (!arguments.json) output.write(heading_of(article));
    for (const Figure& figure : kFigures[i]()) {
      if (arguments.json) {
        all.push_back(json_of(article, figure));
      } else {
        output.write(text_of(figure));
        output.flush();
      }
    }
  }
  if (arguments.json) output.write(json_line({{"figures", std::move(all)}}));
  output.flush();
  return kSome;
}

}  // namespace

void add_experiments(Command app, int& status) {
  const auto arguments = std::make_shared<ExperimentsArguments>();
  const Command command = app.add_subcommand(
      "experiments", "Run the experiments of articles on Bloom filters again, and compare");
  add_value(command, "--post", "WORD", "only this article", [arguments](const std::string& name) {
    arguments->posts.emplace_back(article_named(name).word);
  });
  add_json(command, arguments->json);
  command.footer(help_text());
  command.callback([arguments, &status] {
    try {
      status = experiments(*arguments);
    } catch (const Interrupted& interrupted) {
      die_of(interrupted.signal);
    }
  });
}

}  // namespace bloomery::cli
