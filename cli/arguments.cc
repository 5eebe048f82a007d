// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <functional>
#include <stdexcept>

#include "bloomery/filter/filter_kinds.h"
#include "bloomery/filter/windowed_shape.h"
#include "bloomery/format/kinds.h"
#include "bloomery/text/human_number.h"
#include "bloomery/text/printable.h"
#include "bloomery/text/secrets.h"

namespace bloomery::cli {
namespace {

std::string kind_names() {
  std::string names;
  for (const Kind& each : filter_kinds()) {
    names += (names.empty() ? "" : "|") + std::string(each.name);
  }
  return names;
}

std::string kind_meanings() {
  std::string meanings;
  for (const Kind& each : filter_kinds()) {
    meanings +=
        (meanings.empty() ? "" : "; ") + std::string(each.name) + ": " + std::string(each.what);
  }
  return meanings;
}

// \t, \\ and \xHH; a backslash alone is itself.
std::string unescaped(const std::string& text) {
  if (text == "\\") return text;
  std::string result;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '\\') {
      result += text[at];
      continue;
    }
    const char kind = at + 1 < text.size() ? text[++at] : '\0';
    unsigned byte = 0;
    const char* const digits = text.data() + std::min(at + 1, text.size());
    const char* const end =
        digits + std::min<std::size_t>(2, text.size() - std::min(at + 1, text.size()));
    if (kind == 't' || kind == '\\') {
      result += kind == 't' ? '\t' : '\\';
    } else if (kind == 'x' && end == digits + 2 &&
               std::from_chars(digits, end, byte, 16).ptr == end) {
      result += static_cast<char>(byte);
      at += 2;
    } else {
      throw std::invalid_argument(
          printable(text) + " has an escape that means nothing; there are \\t, \\\\ and \\xHH");
    }
  }
  return result;
}

HashId read_text_hash(const std::string& text) {
  if (const std::optional<HashId> id = text_hash_named(text)) return *id;
  throw std::invalid_argument(printable(text) + " is no hash of texts; product, fold, aes or xxh3");
}

}  // namespace

Option add_kind(Command command, std::optional<FilterKind>& kind) {
  return add_value(command, "--kind", kind_names(), kind_meanings(),
                   [&kind](const std::string& text) { kind = kind_named(text); });
}

bool NewFilter::is_of_own_kind() const {
  return kind || seed != 0 || hash || secret || expansion || tightening || window_ms || generations;
}

FilterOptions NewFilter::options() const {
  if ((expansion || tightening) && !kind_of(kind_or_default()).has_layers) {
    throw std::invalid_argument("--expansion and --tightening are for --kind scalable, not " +
                                std::string(kind_name(kind_or_default())));
  }
  if ((window_ms || generations) && !kind_of(kind_or_default()).forgets) {
    throw std::invalid_argument(std::string(window_ms ? "--window" : "--generations") + ": a " +
                                std::string(kind_name(kind_or_default())) +
                                " filter forgets nothing; only --kind windowed has a window");
  }
  FilterOptions options{.capacity = capacity.value(),
                        .false_positive_rate = rate.value(),
                        .seed = seed,
                        .secret = secret,
                        .keys = keys};
  options.growth.expansion = expansion.value_or(options.growth.expansion);
  options.growth.tightening = tightening.value_or(options.growth.tightening);
  options.window.length_ms = window_ms.value_or(0);
  if (generations) options.window.generations = static_cast<std::uint32_t>(*generations);
  options.hash = hash.value_or(options.hash);
  return options;
}

void require_no_kind(const NewFilter& wanted, const PlaceLocation& location) {
  if (!wanted.is_of_own_kind()) return;
  std::string options;
  for (const char* const each : kNewFilterOptions)
    options += (options.empty() ? "" : ", ") + std::string(each);
  const Format& format = *location.format;
  const bool can_choose = !format.create_settings.empty() && !location.dialect;
  throw std::invalid_argument(
      location.text() + ": " + options + " are for filters of our own; " +
      (can_choose ? "settings of " + std::string(format.name) +
                        ", as FILE?name=value: " + std::string(format.create_settings)
                  : std::string(format.name) + " takes no settings here"));
}

AnyFilter empty_filter(const NewFilter& wanted, const PlaceLocation& location) {
  if (location.has_own_kinds()) {
    if (is_built_once(wanted.kind_or_default())) {
      throw std::invalid_argument(
          "a static filter is not made empty: bloomery load builds it of all its keys");
    }
    return make_filter(wanted.kind_or_default(), wanted.options());
  }
  require_no_kind(wanted, location);
  if (location.format->create == nullptr) {
    throw std::invalid_argument(location.text() + ": a filter of the format " +
                                std::string(location.format->name) +
                                " is not made here, only read" +
                                (location.format->encode == nullptr ? "" : " and changed"));
  }
  AnyFilter filter = location.format->create(wanted.options(), location.settings);
  if (location.has_trailer) filter.set_keys(wanted.keys);
  return filter;
}

void require_own_settings(const PlaceLocation& to, const FilterContents& contents) {
  if (to.settings.empty() || to.is_own_bitmap()) return;  // of ours it says how many strings
  FormatSettings own;
  if (to.format != nullptr && to.format->settings_of != nullptr) {
    require_holds(*to.format, contents);
    own = to.format->settings_of(contents);
  }
  for (const auto& [name, value] : to.settings) {
    const auto found = own.find(name);
    if (found != own.end() && found->second == value) continue;
    const std::string shown = without_secrets("?" + name + "=" + value).substr(1);
    throw std::invalid_argument(to.text() + ": the filter has its own settings, and " + shown +
                                " is none of them; leave out what follows the ?");
  }
}

void add_ratio(Command command, const std::string& name, const std::string& description,
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

void add_new_filter_options(Command command, NewFilter& filter) {
  add_kind(command, filter.kind);
  const Option seed =
      add_value(command, "--seed", "N", "seed of the hash; only filters with equal seeds merge",
                [&filter](const std::string& text) { filter.seed = parse_seed(text); });
  const Option hash =
      add_value(command, "--hash", "NAME",
                "product: the default; fold: for blocked filters, faster if programs ask one "
                "integer a call; aes: faster on processors with AES, slower on others; xxh3: the "
                "hash of earlier versions",
                [&filter](const std::string& text) { filter.hash = read_text_hash(text); });
  command
      .add_flag("--secret", filter.secret,
                "hash under a random key that stays in the file: for keys chosen by strangers")
      .excludes(seed)
      .excludes(hash);
  add_ratio(command, "--expansion",
            "how many times as many keys a scalable filter holds with each new layer; 2 by default",
            filter.expansion);
  add_ratio(
      command, "--tightening",
      "the share of the rate that each new layer leaves to the layers after it; 0.85 by default",
      filter.tightening);
  add_value(
      command, "--window", "TIME",
      "how long a windowed filter remembers a key, such as 90s, 24h or 7d; the capacity is then "
      "the keys of that time. Without --window it remembers the last keys, as many as the "
      "capacity",
      [&filter](const std::string& text) {
        const std::uint64_t length_ms = parse_duration_ms(text);
        if (length_ms == 0 || length_ms > kMostWindowMs) {
          throw std::invalid_argument(text + " is not possible; from 1ms to " +
                                      format_duration_ms(kMostWindowMs));
        }
        filter.window_ms = length_ms;
      });
  add_value(command, "--generations", "COUNT",
            "a windowed filter may remember a key longer, by one part in so many of its window; 1 "
            "to 7, 4 by default",
            [&filter](const std::string& text) {
              const std::uint64_t count = parse_count(text);
              if (count < 1 || count > kMostGenerations) {
                throw std::invalid_argument(text + " is not possible; from 1 to " +
                                            std::to_string(kMostGenerations));
              }
              filter.generations = count;
            });
}

Option add_filter(Command command, const std::string& name, const std::string& description,
                  PlaceLocation& location) {
  return command.add_option(
      name, [&location](const std::string& text) { location = parse_place_location(text); },
      description);
}

Option add_filters(Command command, const std::string& name, const std::string& description,
                   std::vector<PlaceLocation>& locations) {
  return command.add_options(
      name,
      [&locations](const std::vector<std::string>& texts) {
        for (const std::string& text : texts) locations.push_back(parse_place_location(text));
      },
      description);
}

Option add_encoding(Command command, KeyEncoding& encoding) {
  return add_value(command, "--as", std::string(kKeyEncodings),
                   "how the key is written here; text by default",
                   [&encoding](const std::string& text) { encoding = parse_key_encoding(text); });
}

void add_record_options(Command command, SourceOptions& options) {
  command.add_flag(
      "-0,--null", [&options] { options.separator = '\0'; },
      "records end with a NUL byte in place of a newline");
  const Option field =
      add_value(command, "-F,--field", "N", "the key is field N of a record, from 1",
                [&options](const std::string& text) {
                  const std::uint64_t number = parse_positive(text);
                  if (number > std::numeric_limits<std::uint32_t>::max()) {
                    throw std::invalid_argument("no record has as many fields");
                  }
                  options.field = static_cast<std::uint32_t>(number);
                });
  add_value(
      command, "-d,--delimiter", "SEP",
      "what stands between fields: a tab by default, a comma with --csv; \\t is a tab, \\x3b the "
      "byte 3b",
      [&options](const std::string& text) { options.delimiter = unescaped(text); })
      .needs(field);
  command
      .add_flag(
          "--csv",
          [&options, command] {
            options.csv = true;
            if (!command.has("--delimiter")) options.delimiter = ",";
          },
          "fields may stand in double quotes, and then hold any bytes (RFC 4180)")
      .needs(field);
  command.add_flag("--skip-header", options.skip_header,
                   "the first record of each input is no key, and is not printed");
}

}  // namespace bloomery::cli
