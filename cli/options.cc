// SPDX-License-Identifier: Apache-2.0
#include "cli/options.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <stdexcept>
#include <thread>

#include "bloomery/filter/options.h"
#include "bloomery/text/human_number.h"
#include "bloomery/text/printable.h"
#include "cli/report.h"

namespace bloomery::cli {
namespace {

constexpr unsigned kMostThreads = 1024;
constexpr double kMostPercent = 1000;

// "+20%" is 1.2.
double parse_growth(const std::string& text) {
  double percent = 0;
  const char* const begin = text.data() + 1;
  const char* const end = text.data() + text.size() - 1;
  const auto [rest, error] = std::from_chars(begin, end, percent, std::chars_format::fixed);
  const bool is_number = text.size() > 2 && *end == '%' && error == std::errc() && rest == end;
  if (!is_number || !(percent >= 0 && percent <= kMostPercent)) {
    throw std::invalid_argument(printable(text) +
                                " is no room for more keys; allowed: +0% to +1000%");
  }
  return 1 + percent / 100;
}

}  // namespace

Option add_value(Command command, const std::string& names, const std::string& type,
                 const std::string& description, std::function<void(const std::string&)> read) {
  const std::string name = names.substr(0, names.find(','));
  const auto read_named = [name, read = std::move(read)](const std::string& text) {
    try {
      read(text);
    } catch (const std::invalid_argument& error) {
      throw std::invalid_argument(name + ": " + error.what());
    }
  };
  return command.add_option(names, read_named, description).type_name(type);
}

Option add_count(Command command, const std::string& names, const std::string& description,
                 std::optional<std::uint64_t>& count) {
  return add_value(command, names, "COUNT", description,
                   [&count](const std::string& text) { count = parse_positive(text); });
}

Option add_capacity(Command command, std::optional<std::uint64_t>& capacity) {
  return add_value(command, "-n,--capacity", "COUNT",
                   "keys to size for, such as 250000, 10M, 1e9 or 900*1M",
                   [&capacity](const std::string& text) {
                     if (text.starts_with('+')) {
                       throw std::invalid_argument(
                           printable(text) +
                           " is no count; room for more keys than there are is for load and push, "
                           "which count them; allowed: a count such as 250000 or 10M");
                     }
                     capacity = parse_positive(text);
                   });
}

Option add_capacity_or_growth(Command command, std::optional<std::uint64_t>& capacity,
                              std::optional<double>& growth) {
  return add_value(command, "-n,--capacity", "COUNT", "", [&](const std::string& text) {
    capacity.reset();
    growth.reset();
    if (text.starts_with('+')) {
      growth = parse_growth(text);
    } else {
      capacity = parse_positive(text);
    }
  });
}

Option add_rate(Command command, std::optional<double>& rate) {
  return add_value(command, "-p,--rate", "RATE",
                   "false positive rate at capacity, such as 0.01 or 1%",
                   [&rate](const std::string& text) { rate = parse_rate(text); });
}

Option add_json(Command command, bool& json) {
  return command.add_flag("--json", json, "print one JSON object instead of text");
}

Option add_threads(Command command, unsigned& threads) {
  threads = std::clamp(std::thread::hardware_concurrency(), 1U, kMostThreads);
  return add_value(
      command, "--threads", "COUNT", "how many threads work together; by default one for each core",
      [&threads](const std::string& text) {
        const std::uint64_t count = parse_positive(text);
        if (count > kMostThreads) {
          throw std::invalid_argument("is " + text + "; at most " + std::to_string(kMostThreads));
        }
        threads = static_cast<unsigned>(count);
      });
}

std::uint64_t parse_positive(const std::string& text) {
  const std::uint64_t count = parse_count(text);
  if (count == 0) throw std::invalid_argument("is 0; at least 1");
  return count;
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
