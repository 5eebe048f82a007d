// SPDX-License-Identifier: Apache-2.0
// ./run bench: speed, space and rates of the filters, beside peers and the machine's memory.

#include <cstdio>
#include <regex>

#include "benchmarks/json_report.h"
#include "benchmarks/measure_row.h"
#include "benchmarks/program.h"
#include "benchmarks/table.h"
#include "benchmarks/text_file.h"
#include "bloomery/filter/sizing.h"

namespace bloomery::bench {
namespace {

SizeReport measure_size(const SizeClass& size, const std::vector<Row>& rows,
                        const Settings& settings) {
  const Geometry geometry = blocked_geometry({.capacity = size.keys, .false_positive_rate = 0.01});
  SizeReport report{size, measure_memory_limit(geometry.bit_count / 8, settings), {}};
  print_size_header(size, report.limit);
  for (const Row& row : rows) {
    report.rows.push_back(measure_row(row, size, settings));
    print_row(report.rows.back(), report.limit);
  }
  return report;
}

std::vector<Row> chosen_rows(const Settings& settings) {
  const std::regex wanted(settings.filter);
  std::vector<Row> rows = all_rows();
  std::erase_if(rows, [&](const Row& row) { return !std::regex_search(row.name, wanted); });
  return rows;
}

Report measure(const Settings& settings) {
  Report report;
  report.machine = this_machine();
  report.measured_on = today();
  report.repetitions = settings.repetitions;
  report.batch = settings.batch;
  print_machine(report.machine, settings);
  if (settings.wants("speed")) {
    const std::vector<Row> rows = chosen_rows(settings);
    for (const SizeClass& size : settings.sizes()) {
      report.sizes.push_back(measure_size(size, rows, settings));
    }
  }
  if (settings.wants("space")) {
    report.space = measure_space();
    print_space(report.space);
  }
  if (settings.wants("rates")) {
    measure_rates(settings, [&](const RateResult& rate) { report.rates.push_back(rate); });
    print_rates(report.rates, settings.full_rates);
  }
  return report;
}

int run(const Settings& settings) {
  // Before minutes of measuring, not after them.
  if (!settings.json_file.empty()) require_writable(settings.json_file);
  const Report report = measure(settings);
  if (!settings.json_file.empty()) write_text(settings.json_file, to_json(report));
  return report.has_wrong_rows() ? 1 : 0;
}

}  // namespace
}  // namespace bloomery::bench

int main(int argc, char** argv) {
  using namespace bloomery::bench;
  const Program program{
      .name = "./run bench",
      .description =
          "Measures the filters beside peers and beside the memory of this machine.\n"
          "Exit status: 0, or 1 when a row loses keys or misses the rate it was asked for,\n"
          "or 2 for a mistake on the command line or a fault.",
      .footer =
          "Examples:\n"
          "  ./run bench\n"
          "  ./run bench --filter 'BlockedFilter 1 %|RocksDB' --section speed --json figures.json\n"
          "  ./run bench --section rates --full-rates\n"
          "  ./run bench --json figures.json && benchmarks/draw figures.json --svg chart.svg"};
  Settings settings;
  return run_program(
      program, argc, argv, [&](bloomery::cli::Command command) { add_settings(command, settings); },
      [&] {
        complete(settings);
        return run(settings);
      });
}
