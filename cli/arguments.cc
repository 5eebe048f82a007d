#include "cli/arguments.h"

#include <CLI/CLI.hpp>
#include <array>
#include <charconv>
#include <cmath>
#include <functional>
#include <stdexcept>

#include "bloomery/filter/filter_kinds.h"
#include "bloomery/source/human_number.h"
#include "bloomery/source/printable.h"
#include "cli/report.h"

namespace bloomery::cli {
namespace {

std::string kind_names() {
  std::string names;
  for (const KindName& each : filter_kinds()) {
    names += (names.empty() ? "" : "|") + std::string(each.name);
  }
  return names;
}

std::string kind_meanings() {
  std::string meanings;
  for (const KindName& each : filter_kinds()) {
    meanings +=
        (meanings.empty() ? "" : "; ") + std::string(each.name) + ": " + std::string(each.what);
  }
  return meanings;
}

std::uint64_t parse_positive(const std::string& text) {
  const std::uint64_t count = parse_count(text);
  if (count == 0) throw std::invalid_argument("is 0; at least 1");
  return count;
}

}  // namespace

CLI::Option* add_value(CLI::App& command, const std::string& names, const std::string& type,
                       const std::string& description,
                       std::function<void(const std::string&)> read) {
  const std::string name = names.substr(0, names.find(','));
  const auto read_named = [name, read = std::move(read)](const std::string& text) {
    try {
      read(text);
    } catch (const std::invalid_argument& error) {
      throw std::invalid_argument(name + ": " + error.what());
    }
  };
  return command.add_option_function<std::string>(names, read_named, description)->type_name(type);
}

CLI::Option* add_count(CLI::App& command, const std::string& names, const std::string& description,
                       std::optional<std::uint64_t>& count) {
  return add_value(command, names, "COUNT", description,
                   [&count](const std::string& text) { count = parse_positive(text); });
}

CLI::Option* add_capacity(CLI::App& command, std::optional<std::uint64_t>& capacity) {
  return add_count(command, "-n,--capacity", "keys to size for, such as 250000, 10M or 1e9",
                   capacity);
}

CLI::Option* add_rate(CLI::App& command, std::optional<double>& rate) {
  return add_value(command, "-p,--rate", "RATE",
                   "false positive rate at capacity, such as 0.01 or 1%",
                   [&rate](const std::string& text) { rate = parse_rate(text); });
}

CLI::Option* add_kind(CLI::App& command, std::optional<FilterKind>& kind) {
  return add_value(command, "--kind", kind_names(), kind_meanings(),
                   [&kind](const std::string& text) { kind = kind_named(text); });
}

FilterOptions NewFilter::options() const {
  if ((expansion || tightening) && kind_or_default() != FilterKind::scalable) {
    throw std::invalid_argument("--expansion and --tightening are for --kind scalable, not " +
                                std::string(kind_name(kind_or_default())));
  }
  if ((window_ms || generations) && kind_or_default() != FilterKind::windowed) {
    throw std::invalid_argument(std::string(window_ms ? "--window" : "--generations") + ": a " +
                                std::string(kind_name(kind_or_default())) +
                                " filter forgets nothing; only --kind windowed has a window");
  }
  FilterOptions options{.capacity = capacity.value(),
                        .false_positive_rate = rate.value(),
                        .seed = seed,
                        .secret = secret};
  options.growth.expansion = expansion.value_or(options.growth.expansion);
  options.growth.tightening = tightening.value_or(options.growth.tightening);
  options.window.length_ms = window_ms.value_or(0);
  if (generations) options.window.generations = static_cast<std::uint32_t>(*generations);
  return options;
}

AnyFilter empty_filter(const NewFilter& wanted, const FilterLocation& location) {
  if (location.format == nullptr) {
    if (is_built_once(wanted.kind_or_default())) {
      throw std::invalid_argument(
          "a static filter is not made empty: bloomery load builds it of all its keys");
    }
    return make_filter(wanted.kind_or_default(), wanted.options());
  }
  const std::string name(location.format->name);
  if (wanted.kind || wanted.seed != 0 || wanted.secret || wanted.expansion || wanted.tightening ||
      wanted.window_ms || wanted.generations) {
    throw std::invalid_argument(
        location.text() +
        ": --kind, --seed, --secret, --expansion, --tightening, --window and "
        "--generations are for files of our own; what " +
        name + " can choose is FILE?name=value: " +
        (location.format->settings.empty() ? "nothing" : std::string(location.format->settings)));
  }
  if (location.format->create == nullptr) {
    throw std::invalid_argument(location.text() + ": a filter of the format " + name +
                                " is not made here, only read" +
                                (location.format->encode == nullptr ? "" : " and changed"));
  }
  return location.format->create(wanted.options(), location.settings);
}

void add_ratio(CLI::App& command, const std::string& name, const std::string& description,
               std::optional<double>& ratio) {
  add_value(command, name, "RATIO", description, [&ratio](const std::string& text) {
    double value = 0;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || rest != text.data() + text.size()) {
      throw std::invalid_argument(printable(text) + " is not a number, such as 1.5");
    }
    ratio = value;
  });
}

void add_new_filter_options(CLI::App& command, NewFilter& filter) {
  add_kind(command, filter.kind);
  CLI::Option* const seed =
      add_value(command, "--seed", "N", "seed of the hash; only filters of one seed merge",
                [&filter](const std::string& text) { filter.seed = parse_seed(text); });
  command
      .add_flag("--secret", filter.secret,
                "hash under a random key that stays in the file: for keys chosen by strangers")
      ->excludes(seed);
  add_ratio(command, "--expansion",
            "a scalable filter holds so many times as many keys with each new layer; 1.5",
            filter.expansion);
  add_ratio(command, "--tightening",
            "what each new layer leaves of the rate for those after it; 0.9", filter.tightening);
  add_value(command, "--window", "TIME",
            "of a windowed filter: how long it remembers, such as 90s, 24h or 7d; the capacity is "
            "the keys of that time. Without, it remembers the last keys, as many as the capacity",
            [&filter](const std::string& text) {
              const std::uint64_t length_ms = parse_duration_ms(text);
              if (length_ms == 0 || length_ms > kMostWindowMs) {
                throw std::invalid_argument(text + " is not possible; from 1ms to " +
                                            format_duration_ms(kMostWindowMs));
              }
              filter.window_ms = length_ms;
            });
  add_value(
      command, "--generations", "COUNT",
      "of a windowed filter: it may remember one part in so many longer; 1 to 7, 4 by default",
      [&filter](const std::string& text) {
        const std::uint64_t count = parse_count(text);
        if (count < 1 || count > kMostGenerations) {
          throw std::invalid_argument(text + " is not possible; from 1 to " +
                                      std::to_string(kMostGenerations));
        }
        filter.generations = count;
      });
}

CLI::Option* add_json(CLI::App& command, bool& json) {
  return command.add_flag("--json", json, "print one JSON object instead of text");
}

CLI::Option* add_filter(CLI::App& command, const std::string& name, const std::string& description,
                        FilterLocation& location) {
  return command.add_option_function<std::string>(
      name, [&location](const std::string& text) { location = parse_filter_location(text); },
      description);
}

CLI::Option* add_filters(CLI::App& command, const std::string& name, const std::string& description,
                         std::vector<FilterLocation>& locations) {
  return command.add_option_function<std::vector<std::string>>(
      name,
      [&locations](const std::vector<std::string>& texts) {
        for (const std::string& text : texts) locations.push_back(parse_filter_location(text));
      },
      description);
}

void choose_encoding(const CLI::App& command, std::span<const FilterLocation> filters,
                     KeyEncoding& encoding) {
  if (command.get_option("--as")->count() > 0) return;
  const auto word = [](const FilterLocation& filter) {
    return filter.format == nullptr ? std::string_view("text") : filter.format->keys;
  };
  for (const FilterLocation& filter : filters) {
    if (word(filter) == word(filters.front())) continue;
    throw std::invalid_argument("keys of " + filters.front().text() + " are " +
                                std::string(word(filters.front())) + " and those of " +
                                filter.text() + " " + std::string(word(filter)) +
                                " where nothing else is said: say it with --as");
  }
  if (!filters.empty()) encoding = parse_key_encoding(word(filters.front()));
}

CLI::Option* add_encoding(CLI::App& command, KeyEncoding& encoding) {
  return add_value(
      command, "--as", std::string(kKeyEncodings),
      "how keys are written; integers are little-endian bytes, four of i32 and eight of "
      "the others; text, unless the filter's format has another default",
      [&encoding](const std::string& text) { encoding = parse_key_encoding(text); });
}

void add_key_options(CLI::App& command, SourceOptions& options) {
  add_encoding(command, options.encoding);
  command.add_flag_callback(
      "-0,--null", [&options] { options.separator = '\0'; },
      "records end with a NUL byte, not a newline");
  add_value(command, "-F,--field", "N", "the key is field N of a record, from 1",
            [&options](const std::string& text) {
              const std::uint64_t field = parse_positive(text);
              if (field > std::numeric_limits<std::uint32_t>::max()) {
                throw std::invalid_argument("no record has as many fields");
              }
              options.field = static_cast<std::uint32_t>(field);
            });
  add_value(command, "-d,--delimiter", "SEP", "what stands between fields; a tab by default",
            [&options](const std::string& text) { options.delimiter = text; })
      ->needs("--field");
}

std::uint64_t parse_seed(const std::string& text) {
  const bool hex = text.starts_with("0x") || text.starts_with("0X");
  const char* const begin = text.data() + (hex ? 2 : 0);
  const char* const end = text.data() + text.size();
  std::uint64_t seed = 0;
  const auto [rest, error] = std::from_chars(begin, end, seed, hex ? 16 : 10);
  if (error != std::errc() || rest != end) {
    throw std::invalid_argument(printable(text) +
                                " is not a seed; from 0 to 18446744073709551615, decimal or 0x...");
  }
  return seed;
}

double parse_rate(const std::string& text) {
  double rate = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, rate);
  const bool percent = std::string_view(rest, end) == "%";
  const bool underflow = error == std::errc::result_out_of_range;
  if ((error != std::errc() && !underflow) || (rest != end && !percent)) {
    throw std::invalid_argument(printable(text) + " is not a rate; from " + short_number(kMinRate) +
                                " to below 1, such as 0.01 or 1%");
  }
  if (percent) rate /= 100;
  if (underflow || !(rate >= kMinRate && rate < 1)) {
    throw std::invalid_argument("a false positive rate of " + text + " cannot be kept; from " +
                                short_number(kMinRate) + " to below 1, such as 0.01 or 1%");
  }
  return rate;
}

std::uint64_t parse_bits(const std::string& text) {
  constexpr std::array<std::string_view, 5> kByteUnits{"B", "KiB", "MiB", "GiB", "TiB"};
  for (std::size_t i = kByteUnits.size(); i-- > 0;) {
    if (!text.ends_with(kByteUnits[i])) continue;
    const std::string number = text.substr(0, text.size() - kByteUnits[i].size());
    double bytes = 0;
    const char* const end = number.data() + number.size();
    const auto [rest, error] = std::from_chars(number.data(), end, bytes);
    if (error != std::errc() || rest != end || !(bytes > 0)) break;
    const double bits = std::ldexp(bytes, static_cast<int>(10 * i) + 3);
    if (!(bits >= 1 && bits < 0x1p63)) break;
    return static_cast<std::uint64_t>(bits);
  }
  try {
    return parse_positive(text);
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(std::string(error.what()) +
                                "; bytes end in B, KiB, MiB, GiB or TiB: 16MiB");
  }
}

}  // namespace bloomery::cli
