// SPDX-License-Identifier: Apache-2.0
// bloomery calc: the size, rate and capacity of filters that need not exist.
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "bloomery/filter/filter_kinds.h"
#include "bloomery/filter/rates.h"
#include "bloomery/filter/solve.h"
#include "bloomery/text/human_number.h"
#include "cli/arguments.h"
#include "cli/calc_partitions.h"
#include "cli/calculator_page.h"
#include "cli/commands.h"
#include "cli/rate_curve.h"
#include "cli/report.h"
#include "cli/text_table.h"
#include "cli/textbook.h"

namespace bloomery::cli {
namespace {

constexpr const char* kCalcExamples = R"(Two or more of -n -p -m -k fix the others:
  -n -p  the fewest bits      -n -m  the lowest rate      -p -m  the most keys
  -n -k, -m -k  the size at which k probes are best       all four: whether they agree
  --page        the same in a browser, as a page that needs no network

Examples:
  bloomery calc -n 10M -p 0.01          how large is a filter for 10 million keys at 1 %?
  bloomery calc -n 1e9 -m 1GiB          which rate do a billion keys have in 1 GiB?
  bloomery calc -p 0.001 -m 64KiB       how many keys fit?
  bloomery calc -n 10M -p 0.01 --json --kind blocked
  bloomery calc -n '900*1M' -p 0.001    the textbook's numbers beside what is made
  bloomery calc -n 10M -p 0.01 --svg rate.svg      the rate by the load, as a picture
  bloomery calc -n 1e11 -p 0.001 --partitions auto      what does that cost in a cluster?
  bloomery calc -p 0.001 --partitions auto --link 25G   the same of 10^9 to 10^12 keys)";

constexpr double kUsualRate = 0.001;  // of filters in clusters
constexpr std::array kLoads{1.0, 1.5, 2.0, 3.0, 4.0};

struct CalcArguments {
  Known known;
  std::optional<FilterKind> kind;
  ClusterArguments cluster;
  std::string svg;
  bool page = false;
  bool json = false;
};

// One kind's answer, or why it has none.
struct Column {
  FilterKind kind;
  std::optional<Solution> solution;
  std::string impossible;
};

Column column_of(FilterKind kind, const Known& known) {
  try {
    return {kind, solve(kind, known), {}};
  } catch (const std::invalid_argument& error) {
    return {kind, std::nullopt, error.what()};
  }
}

double bits_per_key(const Solution& solution) {
  return static_cast<double>(solution.geometry.bit_count) / static_cast<double>(solution.capacity);
}

double rate_at(const Solution& solution, double load) {
  return predicted_rate(solution.geometry, load * static_cast<double>(solution.capacity));
}

Report::Value json_of(const Column& column, const Known& known) {
  Report::Value json{{"kind", kind_name(column.kind)}};
  if (!column.solution) {
    json["impossible"] = column.impossible;
    return json;
  }
  const Solution& found = *column.solution;
  json["capacity"] = found.capacity;
  if (known.false_positive_rate) json["false_positive_rate"] = *known.false_positive_rate;
  json["predicted_rate"] = found.predicted_rate;
  json["bit_count"] = found.geometry.bit_count;
  json["byte_count"] = found.geometry.bit_count / 8;
  json["bits_per_key"] = bits_per_key(found);
  json["probe_count"] = found.geometry.probe_count;
  json["lines_per_key"] = found.geometry.lines_per_key;
  for (const double load : kLoads) {
    json["overfill"].push_back({{"load", load}, {"predicted_rate", rate_at(found, load)}});
  }
  return json;
}

Report::Value json_of(const Textbook& best) {
  return {{"capacity", best.capacity},
          {"predicted_rate", best.rate_at(best.capacity)},
          {"bit_count", best.bit_count},
          {"bits_per_key", best.bit_count / best.capacity},
          {"probe_count", best.probe_count}};
}

std::string whole_text(double number) {
  if (number >= 1e18) return short_number(number);
  return count_text(static_cast<std::uint64_t>(std::ceil(number)));
}

RateCurve curve_of(const Column& column) {
  const Solution found = *column.solution;
  return {std::string(kind_name(column.kind)),
          [found](double load) { return rate_at(found, load); }};
}

// Returns a note if some of the given bits are left over from whole units (of few bits up to half),
// else an empty text.
std::string unused_bits(const Column& column, const Known& known) {
  const std::uint64_t used = column.solution->geometry.bit_count;
  if (!known.bit_count || used == *known.bit_count) return {};
  return std::string(kind_name(column.kind)) + ": " + std::to_string(used) + " of the " +
         std::to_string(*known.bit_count) +
         " bits make whole units, and all figures are of those\n";
}

std::string text_of(const std::vector<Column>& columns, const Known& known,
                    const std::optional<Textbook>& best) {
  std::string notes;
  std::vector<const Column*> possible;
  for (const Column& column : columns) {
    if (column.solution) {
      possible.push_back(&column);
      notes += unused_bits(column, known);
    } else {
      notes += std::string(kind_name(column.kind)) + ": " + column.impossible + "\n";
    }
  }
  TextTable table;
  const auto add_row = [&](std::string label, auto cell, auto cell_of_best) {
    std::vector<std::string> cells{std::move(label)};
    for (const Column* column : possible) cells.push_back(cell(*column));
    if (best) cells.push_back(cell_of_best(*best));
    table.add_row(std::move(cells));
  };
  add_row(
      "", [](const Column& c) { return std::string(kind_name(c.kind)); },
      [](const Textbook&) { return "textbook"; });
  add_row(
      "capacity", [](const Column& c) { return count_text(c.solution->capacity); },
      [](const Textbook& b) { return whole_text(std::floor(b.capacity)); });
  add_row(
      "predicted rate", [](const Column& c) { return rate_text(c.solution->predicted_rate); },
      [](const Textbook& b) { return rate_text(b.rate_at(b.capacity)); });
  add_row(
      "bit count", [](const Column& c) { return count_text(c.solution->geometry.bit_count); },
      [](const Textbook& b) { return whole_text(b.bit_count); });
  add_row(
      "byte count", [](const Column& c) { return bytes_text(c.solution->geometry.bit_count / 8); },
      [](const Textbook& b) {
        return b.bit_count < 1e18
                   ? bytes_text(static_cast<std::uint64_t>(std::ceil(b.bit_count / 8)))
                   : "";
      });
  add_row(
      "bits per key", [](const Column& c) { return short_number(bits_per_key(*c.solution)); },
      [](const Textbook& b) { return short_number(b.bit_count / b.capacity); });
  add_row(
      "probe count",
      [](const Column& c) { return std::to_string(c.solution->geometry.probe_count); },
      [](const Textbook& b) { return short_number(b.probe_count, 3); });
  add_row(
      "lines per key",
      [](const Column& c) {
        const std::uint32_t lines = c.solution->geometry.lines_per_key;
        return lines == 0 ? "anywhere" : std::to_string(lines);
      },
      [](const Textbook&) { return "anywhere"; });
  std::string text = table.text();

  table = TextTable();
  for (const double load : kLoads) {
    add_row(
        short_number(load) + "x the capacity",
        [&](const Column& c) { return rate_text(rate_at(*c.solution, load)); },
        [&](const Textbook& b) { return rate_text(b.rate_at(load * b.capacity)); });
  }
  return text + "\nrate when filled to\n" + table.text(2) + "\n" +
         curve_text(curve_of(*possible.front()), Terminal::of_standard_output()) +
         (notes.empty() ? "" : "\n" + notes);
}

// Why no kind has an answer; a reason that all share is told once.
std::string reasons_of(const std::vector<Column>& columns) {
  std::string reasons;
  for (const Column& column : columns) {
    if (reasons.find(column.impossible) != std::string::npos) continue;
    reasons += (reasons.empty() ? "" : "; ") + column.impossible;
  }
  return reasons;
}

int calc_cluster(const CalcArguments& arguments) {
  const Known& known = arguments.known;
  if (!arguments.svg.empty()) {
    throw std::invalid_argument("--svg: of a cluster there is no picture; leave out --partitions");
  }
  if (known.bit_count || known.probe_count ||
      arguments.kind.value_or(FilterKind::blocked) != FilterKind::blocked) {
    throw std::invalid_argument(
        "what a cluster costs is computed of -n and -p, and of blocked filters");
  }
  std::vector<std::uint64_t> key_counts{1'000'000'000, 10'000'000'000, 100'000'000'000,
                                        1'000'000'000'000};
  if (known.capacity) key_counts = {*known.capacity};
  return calc_partitions(key_counts, known.false_positive_rate.value_or(kUsualRate),
                         arguments.cluster.assumptions, arguments.json);
}

int calc(const CalcArguments& arguments) {
  if (arguments.cluster.asked) return calc_cluster(arguments);
  std::vector<Column> columns;
  if (arguments.kind) {
    columns.push_back(column_of(*arguments.kind, arguments.known));
  } else {
    for (const FilterKind kind : kSolvableKinds) {
      columns.push_back(column_of(kind, arguments.known));
    }
  }
  if (std::ranges::none_of(columns, [](const Column& c) { return c.solution.has_value(); })) {
    throw std::invalid_argument(reasons_of(columns));
  }
  const std::optional<Textbook> best = textbook(arguments.known);
  if (!arguments.svg.empty()) {
    std::vector<RateCurve> curves;
    for (const Column& column : columns) {
      if (column.solution) curves.push_back(curve_of(column));
    }
    write_svg(arguments.svg, curves_svg("False positive rate by load", curves));
  }
  Output output;
  if (arguments.json) {
    Report::Value filters = Report::Value::array();
    for (const Column& column : columns) filters.push_back(json_of(column, arguments.known));
    Report::Value all{{"filters", std::move(filters)}};
    if (best) all["textbook"] = json_of(*best);
    output.write(json_line(all));
  } else {
    output.write(text_of(columns, arguments.known, best));
  }
  output.flush();
  return kSome;
}

}  // namespace

void add_calc(Command app, int& status) {
  const auto arguments = std::make_shared<CalcArguments>();
  const Command command = app.add_subcommand("calc", "Compute sizes, rates and capacities");
  add_capacity(command, arguments->known.capacity);
  add_rate(command, arguments->known.false_positive_rate);
  add_value(
      command, "-m,--bits", "BITS", "size in bits (80M), or in bytes with B, KiB, MiB, ...",
      [arguments](const std::string& text) { arguments->known.bit_count = parse_bits(text); });
  add_value(command, "-k,--probes", "COUNT", "probes a key", [arguments](const std::string& text) {
    const std::uint64_t probes = parse_count(text);
    if (probes < 1 || probes > 255) {
      throw std::invalid_argument(text + " probes are not possible; from 1 to 255");
    }
    arguments->known.probe_count = static_cast<std::uint32_t>(probes);
  });
  add_kind(command, arguments->kind).description("only this kind; by default all");
  add_svg(command, arguments->svg);
  add_cluster_options(command, arguments->cluster);
  command.add_flag(
      "--page", arguments->page,
      "open the calculator, a page that computes while you type; without a screen, print "
      "where the page is");
  add_json(command, arguments->json);
  command.everyday(std::array{"--capacity", "--rate", "--bits", "--probes", "--kind", "--page"});
  command.footer(kCalcExamples);
  command.callback([arguments, &status] {
    status = arguments->page ? show_calculator_page() : calc(*arguments);
  });
}

}  // namespace bloomery::cli
