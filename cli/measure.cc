// bloomery measure: fills a filter and asks it about absent keys, to see whether its rate is kept.
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>
#include <memory>
#include <numbers>
#include <optional>
#include <stdexcept>
#include <string>

#include "bloomery/bits/huge_pages.h"
#include "bloomery/filter/filter_kinds.h"
#include "bloomery/format/kinds.h"
#include "cli/arguments.h"
#include "cli/binomial_interval.h"
#include "cli/commands.h"
#include "cli/filter_filler.h"
#include "cli/filter_report.h"
#include "cli/key_patterns.h"
#include "cli/report.h"
#include "cli/terminal_progress.h"

namespace bloomery::cli {
namespace {

constexpr const char* kMeasureExamples =
    R"(Keys and queries are made as they are needed: memory is that of the filter.

Examples:
  bloomery measure -n 1M -p 0.01
  bloomery measure -n 100K -p 0.001 --kind classic --keys uuid --json
  bloomery measure -n 10 -p 0.01 --queries 100K
  bloomery measure -n 100K -p 0.01 --kind scalable --grow-from 100

Exit status: 0 the rate is kept, 1 it is not: more than 1.05 times what was asked, and not by chance.)";

// What a filter may have above the asked rate, by its own luck with the keys.
constexpr double kTolerance = 1.05;

constexpr double kWantedPositives = 2'000;
constexpr double kFewestQueries = 1e6;
constexpr double kMostQueries = 2e9;

struct MeasureArguments {
  NewFilter filter;
  KeyPattern keys = KeyPattern::random;
  std::optional<std::uint64_t> queries;
  std::optional<std::uint64_t> grow_from;
  bool json = false;
};

using Clock = std::chrono::steady_clock;

struct Timing {
  Clock::duration spent{};

  template <class Work>
  void add(Work work) {
    const auto start = Clock::now();
    work();
    spent += Clock::now() - start;
  }
  double ns_per_key(std::uint64_t count) const {
    return std::chrono::duration<double, std::nano>(spent).count() / static_cast<double>(count);
  }
};

// Calls visit(batch of keys) for `count` keys from number `first` on.
template <class Visit>
void for_each_batch(const std::string& label, KeyPattern pattern, std::uint64_t first,
                    std::uint64_t count, Visit visit) {
  PatternBatches batches(pattern);
  auto progress = terminal_progress(label, {count, std::nullopt});
  for (std::uint64_t done = 0; done < count;) {
    const std::span<const Key> keys = batches.keys(first + done, count - done);
    visit(keys);
    done += keys.size();
    if (progress) progress->update(done);
  }
  if (progress) progress->finish();
}

std::uint64_t query_count(const MeasureArguments& arguments) {
  const double wanted =
      std::clamp(kWantedPositives / *arguments.filter.rate, kFewestQueries, kMostQueries);
  const std::uint64_t count = arguments.queries.value_or(static_cast<std::uint64_t>(wanted));
  if (count > std::numeric_limits<std::uint64_t>::max() - *arguments.filter.capacity) {
    throw std::invalid_argument("there are not as many keys as -n and --queries want together");
  }
  return count;
}

// Bloom 1970, with the best number of probes: n log2(1/p) / ln 2.
double theoretical_bits(std::uint64_t keys, double rate) {
  return static_cast<double>(keys) * -std::log2(rate) * std::numbers::log2e;
}

// Of all words of the filter; nothing where the kernel does not say.
std::optional<std::uint64_t> huge_page_bytes(const AnyFilter& filter) {
  std::optional<std::uint64_t> sum;
  for (const auto words : filter.contents().words) {
    if (const auto each = huge_page_byte_count(words)) sum = sum.value_or(0) + *each;
  }
  return sum;
}

void add_huge_pages(Report& report, const AnyFilter& filter, std::uint64_t byte_count) {
  const auto huge = huge_page_bytes(filter);
  if (!huge) return report.add("huge_page_byte_count", nullptr, "the kernel does not say");
  const double share = static_cast<double>(*huge) / static_cast<double>(byte_count);
  report.add("huge_page_byte_count", *huge,
             bytes_text(*huge) + ", " + short_number(100 * share, 3) + " % of the filter");
}

int measure(const MeasureArguments& arguments) {
  const std::uint64_t capacity = *arguments.filter.capacity;
  const std::uint64_t queries = query_count(arguments);
  const FilterKind kind = arguments.filter.kind_or_default();
  FilterOptions options = arguments.filter.options();
  if (arguments.grow_from) {
    if (!kind_of(kind).has_layers) {
      throw std::invalid_argument("--grow-from is for --kind scalable, not " +
                                  std::string(kind_name(kind)));
    }
    options.capacity = *arguments.grow_from;
  }
  FilterFiller filler(kind, options);
  Timing insert;
  for_each_batch("insert", arguments.keys, 0, capacity,
                 [&](std::span<const Key> keys) { insert.add([&] { filler.add(keys); }); });
  std::optional<AnyFilter> finished;
  insert.add([&] { finished = std::move(filler).finish(); });
  const AnyFilter& filter = *finished;
  Timing look_up;
  std::uint64_t positives = 0;
  std::array<bool, PatternBatches::kBatchKeys> answers{};
  for_each_batch("ask", arguments.keys, capacity, queries, [&](std::span<const Key> keys) {
    const std::span<bool> found = std::span(answers).first(keys.size());
    look_up.add([&] { filter.may_contain_many(keys, found); });
    positives += static_cast<std::uint64_t>(std::ranges::count(found, true));
  });

  const double asked = *arguments.filter.rate;
  const double measured = static_cast<double>(positives) / static_cast<double>(queries);
  const Interval interval = binomial_interval(positives, queries);
  const double predicted = filter.predicted_rate();
  const bool kept = interval.low <= kTolerance * asked;
  const std::uint64_t byte_count = 8 * filter.contents().word_count();

  Report report;
  report.add("kind", kind_name(filter.parameters().kind));
  report.add("keys", key_pattern_name(arguments.keys));
  report.add("capacity", capacity, count_text(capacity));
  report.add("false_positive_rate", asked, rate_text(asked) + " asked");
  report.add("measured_rate", measured, rate_text(measured));
  report.add("measured_rate_low", interval.low);
  report.add("measured_rate_high", interval.high,
             short_number(interval.high) + "  with 95 % confidence");
  report.add("predicted_rate", predicted, rate_text(predicted) + " from the bits");
  report.add("rate_kept", kept);
  report.add("positive_count", positives);
  report.add("query_count", queries, count_text(queries));
  report.add("byte_count", byte_count, bytes_text(byte_count));
  add_huge_pages(report, filter, byte_count);
  report.add("bits_per_key", 8 * static_cast<double>(byte_count) / static_cast<double>(capacity));
  report.add(
      "bits_over_theory", 8 * static_cast<double>(byte_count) / theoretical_bits(capacity, asked),
      short_number(8 * static_cast<double>(byte_count) / theoretical_bits(capacity, asked), 3) +
          " times the bits of the best classic filter");
  add_layers(report, filter.contents());
  report.add("insert_ns_per_key", insert.ns_per_key(capacity));
  report.add("may_contain_ns_per_key", look_up.ns_per_key(queries));
  Output output;
  print(report, arguments.json, output);
  return kept ? kSome : kNone;
}

}  // namespace

void add_measure(Command app, int& status) {
  const auto arguments = std::make_shared<MeasureArguments>();
  const Command command =
      app.add_subcommand("measure", "Fill a filter and measure its rate and speed");
  add_capacity(command, arguments->filter.capacity).required();
  add_rate(command, arguments->filter.rate).required();
  add_value(command, "--keys", "random|counter|shifted|uuid|url", "what the keys look like",
            [arguments](const std::string& text) { arguments->keys = key_pattern_named(text); });
  add_count(command, "--queries", "how many absent keys to ask; enough for the rate by default",
            arguments->queries);
  add_count(command, "--grow-from", "make a scalable filter for so few, and let it grow to -n",
            arguments->grow_from);
  add_new_filter_options(command, arguments->filter);
  add_json(command, arguments->json);
  command.footer(kMeasureExamples);
  command.callback([arguments, &status] { status = measure(*arguments); });
}

}  // namespace bloomery::cli
