// SPDX-License-Identifier: Apache-2.0
#include "cli/did_you_mean.h"

#include <algorithm>
#include <array>
#include <vector>

namespace bloomery::cli {
namespace {

constexpr std::size_t kMostSlips = 2;
constexpr std::size_t kLongestName = 64;  // longer words are no slip of the hand

// The fewest letters left out, added, changed or exchanged with their neighbour (optimal string
// alignment).
std::size_t slips_between(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) above[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({changed, above[j] + 1, row[j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    std::swap(before, above);
    std::swap(above, row);
  }
  return above[b.size()];
}

std::size_t distance(std::string_view word, std::string_view name) {
  if (name.starts_with(word)) return 0;
  return std::max<std::size_t>(1, slips_between(word, name));
}

// A word that another program, or a library, has for one of ours.
struct Synonym {
  std::string_view word;
  std::string_view name;
};
constexpr std::array kSynonyms{
    Synonym{"add", "insert"},
    Synonym{"append", "insert"},
    Synonym{"put", "insert"},
    Synonym{"contains", "check"},
    Synonym{"exists", "check"},
    Synonym{"has", "check"},
    Synonym{"lookup", "check"},
    Synonym{"query", "check"},
    Synonym{"test", "check"},
    Synonym{"build", "load"},
    Synonym{"import", "load"},
    Synonym{"init", "create"},
    Synonym{"make", "create"},
    Synonym{"new", "create"},
    Synonym{"reserve", "create"},
    Synonym{"delete", "erase (of a key) or destroy (of a filter)"},
    Synonym{"remove", "erase (of a key) or destroy (of a filter)"},
    Synonym{"rm", "erase (of a key) or destroy (of a filter)"},
    Synonym{"show", "info"},
    Synonym{"stat", "info"},
    Synonym{"stats", "info"},
    Synonym{"union", "merge"},
    Synonym{"version", "--version"},
    Synonym{"--count", "--capacity"},
    Synonym{"--items", "--capacity"},
    Synonym{"--size", "--capacity"},
    Synonym{"--error", "--rate"},
    Synonym{"--error-rate", "--rate"},
    Synonym{"--error_rate", "--rate"},
    Synonym{"--fp", "--rate"},
    Synonym{"--fpp", "--rate"},
    Synonym{"--fpr", "--rate"},
    Synonym{"-e", "--rate"},
    Synonym{"--file", "--input"},
    Synonym{"-f", "--input"},
    Synonym{"-i", "--input"},
};

// Nothing where what is meant is none of the names here: of several words the first is one. Where
// the names are those of commands, --version can be said too.
std::optional<std::string> synonym_of(std::string_view word, std::span<const std::string> names) {
  for (const Synonym& each : kSynonyms) {
    if (each.word != word) continue;
    const std::string_view name = each.name.substr(0, each.name.find(' '));
    const bool is_there = std::ranges::find(names, name) != names.end();
    if (is_there || (name == "--version" && std::ranges::find(names, "create") != names.end())) {
      return std::string(each.name);
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> nearest_name(std::string_view word, std::span<const std::string> names) {
  if (word.size() < 2 || word.size() > kLongestName) return std::nullopt;
  std::optional<std::string> nearest;
  std::size_t least = kMostSlips + 1;
  for (const std::string& name : names) {
    const std::size_t slips = distance(word, name);
    if (slips > kMostSlips || 3 * slips > std::max(name.size(), word.size())) continue;
    if (slips == least) nearest.reset();
    if (slips < least) nearest = name;
    least = std::min(least, slips);
  }
  return nearest;
}

std::string did_you_mean(std::string_view word, std::span<const std::string> names) {
  std::optional<std::string> name = synonym_of(word, names);
  if (!name) name = nearest_name(word, names);
  return name ? "; did you mean " + *name + "?" : "";
}

}  // namespace bloomery::cli
