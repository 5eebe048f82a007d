// SPDX-License-Identifier: Apache-2.0
// ./run bench --redis: what a look-up costs a server, in the ways that people ask filters there.
#include <regex>
#include <string>
#include <vector>

#include "benchmarks/module/server_process.h"
#include "benchmarks/program.h"
#include "benchmarks/redis/measure.h"
#include "benchmarks/redis/report.h"
#include "benchmarks/redis/settings.h"
#include "benchmarks/redis/ways.h"
#include "benchmarks/text_file.h"

namespace bloomery::redis_bench {
namespace {

std::vector<std::string> numbered(const char* word, std::uint64_t count) {
  std::vector<std::string> texts;
  for (std::uint64_t i = 0; i < count; ++i) texts.push_back(word + std::to_string(i));
  return texts;
}

int run(const Settings& settings) {
  if (!settings.json_file.empty()) bench::require_writable(settings.json_file);
  const std::regex wanted(settings.only);
  const module_bench::ServerProcess server(settings.module);
  const auto texts = numbered("member", settings.keys());
  const auto other_texts = numbered("stranger", 100'000);
  const std::vector<Key> members(texts.begin(), texts.end());
  const std::vector<Key> strangers(other_texts.begin(), other_texts.end());
  fill(server.port(), members);
  print_header(settings);

  std::vector<Figure> all;
  bool is_wrong = false;
  for (const Way& way : all_ways()) {
    if (!std::regex_search(way.name, wanted)) continue;
    const Ask ask = way.open(server.port());
    std::vector<Figure> figures;
    for (const std::size_t batch : settings.batches()) {
      for (const int threads : settings.threads()) {
        figures.push_back(measure(way, ask, batch, threads, settings.cell(), members, strangers,
                                  [&] { return server.cpu_seconds(); }));
        is_wrong = is_wrong || figures.back().loses_keys;
      }
    }
    print_way(figures);
    all.insert(all.end(), figures.begin(), figures.end());
  }
  if (!settings.json_file.empty()) bench::write_text(settings.json_file, to_json(all));
  return is_wrong ? 1 : 0;
}

}  // namespace
}  // namespace bloomery::redis_bench

int main(int argc, char** argv) {
  using namespace bloomery::redis_bench;
  const bloomery::bench::Program program{
      .name = "./run bench --redis",
      .description =
          "Measures what a look-up costs a Redis or Valkey server, in the ways that people ask "
          "filters\n"
          "there: pipelines of GETBIT, a script, this library over other systems' layouts, BF.* "
          "and\n"
          "BLOOM.*, from one thread and from many.\n"
          "Exit status: 0, or 1 when a way loses keys, or 2 for a mistake on the command line or "
          "a\n"
          "fault."};
  Settings settings;
  return bloomery::bench::run_program(
      program, argc, argv, [&](bloomery::cli::Command command) { add_settings(command, settings); },
      [&] {
        complete(settings);
        return run(settings);
      });
}
