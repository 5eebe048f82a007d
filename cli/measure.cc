// SPDX-License-Identifier: Apache-2.0
// bloomery measure: fills a filter and asks it about absent keys, to see whether its rate is kept.
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>
#include <memory>
#include <numbers>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "bloomery/bits/huge_pages.h"
#include "bloomery/filter/filter_kinds.h"
#include "bloomery/format/kinds.h"
#include "bloomery/open/open_place.h"
#include "bloomery/source/in_order.h"
#include "cli/arguments.h"
#include "cli/binomial_interval.h"
#include "cli/commands.h"
#include "cli/filter_filler.h"
#include "cli/filter_report.h"
#include "cli/key_patterns.h"
#include "cli/messages.h"
#include "cli/report.h"
#include "cli/terminal_progress.h"

namespace bloomery::cli {
namespace {

constexpr const char* kMeasureExamples =
    R"(Keys and queries are made as they are needed: memory is that of the filter, and up to half as much more
while a large one is filled. FILE is asked where it is, about keys that nobody inserted, and stays as it
is.

Examples:
  bloomery measure -n 1M -p 0.01
  bloomery measure -n 100K -p 0.001 --kind classic --keys uuid --json
  bloomery measure -n 10 -p 0.01 --queries 100K
  bloomery measure -n 100K -p 0.01 --kind scalable --grow-from 100
  bloomery measure users.bloom
  bloomery measure 'redisson:redis://127.0.0.1?trust=bits#users' --queries 100K

Exit status: 0 the rate is kept, 1 it is not: more than 1.05 times what was asked, and not by chance;
2 also if a filter in a server does not know.)";

// The factor by which a filter may exceed the asked rate, by its own luck with the keys.
constexpr double kTolerance = 1.05;

constexpr double kWantedPositives = 2'000;
constexpr double kFewestQueries = 1e6;
constexpr double kMostQueries = 2e9;
constexpr double kMostQueriesOfServer = 1e6;

// Absent keys of a filter that exists begin here: nobody has inserted so many of a pattern.
constexpr std::uint64_t kFirstStranger = std::uint64_t{1} << 62;

constexpr std::array kOfANewFilter{"--capacity", "--grow-from"};

struct MeasureArguments {
  std::string place;  // of a filter that is there; empty: one is made
  NewFilter filter;
  KeyPattern keys = KeyPattern::random;
  std::optional<std::uint64_t> queries;
  std::optional<std::uint64_t> grow_from;
  unsigned threads = 1;
  bool json = false;
};

using Clock = std::chrono::steady_clock;

// Sums over all threads.
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

// Keys of a pattern on their way: made and worked on by some thread, counted in their order.
struct Piece {
  explicit Piece(KeyPattern pattern) : batches(pattern) {}

  PatternBatches batches;
  std::uint64_t first = 0;
  std::uint64_t count = 0;
  std::span<const Key> keys{};
  Timing timing{};
  std::array<HashPair, PatternBatches::kBatchKeys> hashes;
  std::array<bool, PatternBatches::kBatchKeys> found;
  std::vector<Presence> answers{};
};

// Calls work(piece), which is timed, for `count` keys from number `first` on, on any of so many
// threads, then end(piece) in order. Returns how long work() took in all.
template <class Work, class End>
Timing for_each_piece(const std::string& label, const MeasureArguments& arguments,
                      std::uint64_t first, std::uint64_t count, unsigned threads, Work work,
                      End end) {
  std::vector<Piece> pieces(slot_count(threads), Piece(arguments.keys));
  auto progress = terminal_progress(label, {count, std::nullopt});
  std::uint64_t begun = 0;
  std::uint64_t done = 0;
  Timing timing;
  OrderedSteps steps;
  steps.begin = [&](std::size_t slot) {
    Piece& piece = pieces[slot];
    piece.first = first + begun;
    piece.count = std::min<std::uint64_t>(count - begun, PatternBatches::kBatchKeys);
    begun += piece.count;
    return piece.count > 0;
  };
  steps.work = [&](std::size_t slot) {
    Piece& piece = pieces[slot];
    piece.keys = piece.batches.keys(piece.first, piece.count);
    piece.timing = {};
    piece.timing.add([&] { work(piece); });
  };
  steps.end = [&](std::size_t slot) {
    Piece& piece = pieces[slot];
    end(piece);
    timing.spent += piece.timing.spent;
    done += piece.count;
    if (progress) progress->update(done);
    return true;
  };
  run_in_order(threads, steps);
  if (progress) progress->finish();
  return timing;
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

// How many bytes of the filter's words lie in huge pages; nothing where the kernel does not say.
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

void add_measured(Report& report, double asked, std::uint64_t positives, std::uint64_t queries) {
  const Interval interval = binomial_interval(positives, queries);
  const double measured = static_cast<double>(positives) / static_cast<double>(queries);
  report.add("false_positive_rate", asked, rate_text(asked) + " asked");
  report.add("measured_rate", measured, rate_text(measured));
  report.add("measured_rate_low", interval.low);
  report.add("measured_rate_high", interval.high,
             short_number(interval.high) + "  with 95 % confidence");
}

bool is_kept(double asked, std::uint64_t positives, std::uint64_t queries) {
  return binomial_interval(positives, queries).low <= kTolerance * asked;
}

FilterOptions options_of_new(const MeasureArguments& arguments) {
  FilterOptions options = arguments.filter.options();
  if (!arguments.grow_from) return options;
  const FilterKind kind = arguments.filter.kind_or_default();
  if (!kind_of(kind).has_layers) {
    throw std::invalid_argument("--grow-from is for --kind scalable, not " +
                                std::string(kind_name(kind)));
  }
  options.capacity = *arguments.grow_from;
  return options;
}

// A filter with the keys that were asked for. `insert`: what that took.
AnyFilter make_measured(const MeasureArguments& arguments, Timing& insert) {
  FilterFiller filler(arguments.filter.kind_or_default(), options_of_new(arguments),
                      arguments.threads);
  const NativeHash hash = filler.parameters().hash;
  const Timing hashing = for_each_piece(
      "insert", arguments, 0, *arguments.filter.capacity, arguments.threads,
      [&](Piece& piece) { hash.hash_many(piece.keys, piece.hashes.data()); },
      [&](Piece& piece) {
        insert.add([&] { filler.add(std::span<const HashPair>(piece.hashes).first(piece.count)); });
      });
  insert.spent += hashing.spent;
  std::optional<AnyFilter> finished;
  insert.add([&] { finished = std::move(filler).finish(); });
  return std::move(*finished);
}

int measure_new(const MeasureArguments& arguments) {
  const std::uint64_t capacity = *arguments.filter.capacity;
  const std::uint64_t queries = query_count(arguments);
  Timing insert;
  const AnyFilter filter = make_measured(arguments, insert);
  std::uint64_t positives = 0;
  const Timing look_up = for_each_piece(
      "ask", arguments, capacity, queries, arguments.threads,
      [&](Piece& piece) {
        filter.may_contain_many(piece.keys, std::span(piece.found).first(piece.count));
      },
      [&](Piece& piece) {
        const auto found = std::span(piece.found).first(piece.count);
        positives += static_cast<std::uint64_t>(std::ranges::count(found, true));
      });

  const double asked = *arguments.filter.rate;
  const double predicted = filter.predicted_rate();
  const bool kept = is_kept(asked, positives, queries);
  const std::uint64_t byte_count = 8 * filter.contents().word_count();

  Report report;
  report.add("kind", kind_name(filter.parameters().kind));
  report.add("keys", key_pattern_name(arguments.keys));
  report.add("capacity", capacity, count_text(capacity));
  add_measured(report, asked, positives, queries);
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

// A filter that is there, asked about keys that nobody has ever inserted.
int measure_place(const MeasureArguments& arguments) {
  const PlaceLocation location = parse_place_location(arguments.place);
  const auto place = open_place(location, {.allow_forgetting = true, .load_files = true});
  const PlaceHead head = place->head();
  const double asked = arguments.filter.rate.value_or(head.parameters.false_positive_rate);
  const double most = location.is_live() ? kMostQueriesOfServer : kMostQueries;
  const double wanted = std::clamp(kWantedPositives / asked, std::min(kFewestQueries, most), most);
  const std::uint64_t queries = arguments.queries.value_or(static_cast<std::uint64_t>(wanted));
  std::uint64_t positives = 0;
  std::uint64_t unknowns = 0;
  const Timing look_up = for_each_piece(
      "ask", arguments, kFirstStranger, queries, location.is_live() ? 1 : arguments.threads,
      [&](Piece& piece) {
        piece.answers.assign(piece.count, Presence::unknown);
        place->presence_of_many(piece.keys, piece.answers);
      },
      [&](Piece& piece) {
        const auto count = [&](Presence answer) {
          return static_cast<std::uint64_t>(std::ranges::count(piece.answers, answer));
        };
        positives += count(Presence::maybe);
        unknowns += count(Presence::unknown);
      });

  const bool kept = is_kept(asked, positives, queries);
  Report report;
  report.add("file", location.text());
  report.add("keys", key_pattern_name(arguments.keys));
  add_measured(report, asked, positives, queries);
  report.add("rate_kept", kept);
  report.add("positive_count", positives);
  if (unknowns > 0) report.add("unknown_count", unknowns);
  report.add("query_count", queries, count_text(queries));
  report.add("ask_ns_per_key", look_up.ns_per_key(queries));
  Output output;
  print(report, arguments.json, output);
  if (unknowns > 0) {
    const std::string_view reason = why(place->head().no_absent);
    complain(location.text() + ": " + std::to_string(unknowns) + " of the keys are unknown" +
             (reason.empty() ? std::string() : ": " + std::string(reason)));
    return kFault;
  }
  return kept ? kSome : kNone;
}

int measure(const MeasureArguments& arguments, Command command) {
  if (!arguments.place.empty()) {
    const auto refuse_any = [&](std::span<const char* const> options) {
      const char* const option = command.first_given(options);
      if (option == nullptr) return;
      throw std::invalid_argument(arguments.place + ": is there already; " + option +
                                  " is for a filter that measure makes");
    };
    refuse_any(kOfANewFilter);
    refuse_any(kNewFilterOptions);
    return measure_place(arguments);
  }
  if (!arguments.filter.capacity || !arguments.filter.rate) {
    throw std::invalid_argument(
        "say -n and -p of a filter to make, or where the filter is that is to be asked");
  }
  return measure_new(arguments);
}

}  // namespace

void add_measure(Command app, int& status) {
  const auto arguments = std::make_shared<MeasureArguments>();
  const Command command =
      app.add_subcommand("measure", "Measure the rate and speed of a filter, a new one or FILE");
  command.add_option(
      "FILE", arguments->place,
      std::string(kWhereAFilterIs) + "; without FILE a new filter is made and filled");
  add_capacity(command, arguments->filter.capacity);
  add_rate(command, arguments->filter.rate)
      .description(
          "false positive rate to compare with, such as 0.01 or 1%; by default the rate that FILE "
          "was made for");
  add_value(command, "--keys", "random|counter|shifted|uuid|url", "what the keys look like",
            [arguments](const std::string& text) { arguments->keys = key_pattern_named(text); });
  add_count(command, "--queries", "how many absent keys to ask; by default enough for the rate",
            arguments->queries);
  add_count(command, "--grow-from", "make a scalable filter for so few keys, and let it grow to -n",
            arguments->grow_from);
  add_new_filter_options(command, arguments->filter);
  add_threads(command, arguments->threads);
  add_json(command, arguments->json);
  command.everyday(std::array{"--capacity", "--rate", "--kind", "--keys", "--queries"});
  command.footer(kMeasureExamples);
  command.callback([arguments, command, &status] { status = measure(*arguments, command); });
}

}  // namespace bloomery::cli
