// SPDX-License-Identifier: Apache-2.0
// bloomery experiments: the figures that the source posts print, run again.
#include <algorithm>
#include <array>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/ending_signals.h"
#include "cli/experiments/figure.h"
#include "cli/report.h"
#include "cli/stage.h"
#include "cli/text_table.h"

namespace bloomery::cli {
namespace {

constexpr const char* kExperimentsExamples =
    R"(Keys and seeds are fixed: every run prints the same, but for times. What needs a
Redis starts one of its own: $REDIS_SERVER, else redis-server.

Posts:
  000     Java: Guava, SimpleBloomFilter, Redisson; a filter of absent keys
  001     RedisBloom: BF.ADD, BF.RESERVE, and how large a filter is
  002     JavaScript: a class with eight hashes
  003     Java: BloomFilterHelper over a bitmap of Redis, and Guava
  004     PHP: a class with three hashes over a bitmap of Redis
  claims  of several: formulas, bits a key, times, a set of Redis, SETBIT

Examples:
  bloomery experiments --post 004          the figures of one post
  bloomery experiments --post 004 --json)";

struct Post {
  std::string_view name;
  std::vector<Figure> (*figures)();
};

constexpr std::array kPosts{
    Post{"000", figures_of_post_000},
    Post{"001", [] { return figures_of_post_001(); }},
    Post{"002", figures_of_post_002},
    Post{"003", [] { return figures_of_post_003(); }},
    Post{"004", figures_of_post_004},
    Post{kRepeatedClaims, [] { return figures_of_repeated_claims(); }},
};

struct ExperimentsArguments {
  std::vector<std::string> posts;
  bool json = false;
};

Report::Value json_of(const Figure& figure) {
  return {{"post", figure.post},
          {"figure", figure.what},
          {"theirs", figure.theirs},
          {"ours", figure.ours},
          {"verdict", verdict_name(figure.verdict)},
          {"remark", figure.remark},
          {"numbers", figure.numbers}};
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
  return std::string(figure.post) + "  " + std::string(figure.what) + "\n" + table.text(5) + "\n";
}

int experiments(const ExperimentsArguments& arguments) {
  Output output;
  Report::Value all = Report::Value::array();
  for (const Post& post : kPosts) {
    const bool wanted = arguments.posts.empty() ||
                        std::ranges::find(arguments.posts, post.name) != arguments.posts.end();
    if (!wanted) continue;
    for (const Figure& figure : post.figures()) {
      if (arguments.json) {
        all.push_back(json_of(figure));
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
      "experiments", "Run again what articles on Bloom filters print, and show both");
  add_value(command, "--post", "NAME", "only this post: 000 to 004, or claims",
            [arguments](const std::string& name) {
              if (std::ranges::find(kPosts, name, &Post::name) == kPosts.end()) {
                throw std::invalid_argument(name + " is no post; 000 to 004, or claims");
              }
              arguments->posts.push_back(name);
            });
  add_json(command, arguments->json);
  command.footer(kExperimentsExamples);
  command.callback([arguments, &status] {
    try {
      status = experiments(*arguments);
    } catch (const Interrupted& interrupted) {
      die_of(interrupted.signal);
    }
  });
}

}  // namespace bloomery::cli
