// SPDX-License-Identifier: Apache-2.0
#include "benchmarks/patterns/settings.h"

#include <charconv>
#include <stdexcept>

#include "benchmarks/program.h"
#include "bloomery/text/human_number.h"

namespace bloomery::bench {
namespace {

double rate_in(const std::string& text) {
  double rate = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, rate);
  if (error != std::errc() || stop != end || !(rate >= 1e-9 && rate <= 0.5)) {
    throw std::invalid_argument("--rate " + text + " is no number from 1e-9 to 0.5");
  }
  return rate;
}

std::uint64_t keys_in(const std::string& text) {
  const std::uint64_t keys = parse_count(text);
  if (keys < 1'000 || keys > 10'000'000'000) {
    throw std::invalid_argument("--keys " + text + " is no number from 1000 to 10^10");
  }
  return keys;
}

HashId hash_in(const std::string& text) {
  const auto hash = text_hash_named(text);
  if (!hash) throw std::invalid_argument("--hash " + text + " is none of product, fold, aes, xxh3");
  return *hash;
}

// Declares an option that may be repeated, and then stands for all that the list had before.
template <class Value>
void add_list(cli::Command command, const std::string& names, std::vector<Value>& list,
              Value (*value_in)(const std::string&), const std::string& description) {
  const auto read = [&list, value_in](const std::vector<std::string>& texts) {
    list.clear();
    for (const std::string& text : texts) list.push_back(value_in(text));
  };
  command.add_options(names, read, description);
}

}  // namespace

void add_settings(cli::Command command, RateSettings& settings) {
  add_list(command, "--keys", settings.keys, keys_in,
           "Keys a filter; may be repeated. 10K, 100K, 1M, 10M and 100M unless given");
  add_list(command, "--rate", settings.rates, rate_in,
           "Rates asked for; may be repeated. 0.01, 0.001 and 0.0001 unless given");
  add_list(command, "--hash", settings.hashes, hash_in,
           "Of product, fold, aes, xxh3; may be repeated. product and fold unless given");
  command.add_option("--pattern", settings.pattern,
                     "Only patterns whose name this regular expression is found in");
  command.add_flag("--all", settings.all, "Print each pattern, not only those that are over");
  add_number(command, "--positives", 100, 1'000'000'000,
             "False positives to be expected of a pattern's strangers, 20000 by default:\n"
             "ten thousand are one percent of luck",
             [&settings](std::uint64_t number) { settings.positives = number; });
}

}  // namespace bloomery::bench
