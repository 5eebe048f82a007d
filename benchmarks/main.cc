// ./run bench: speed, space and rates of the filters, beside peers and the machine's memory.
#include <fmt/core.h>

#include <cstdio>
#include <exception>
#include <regex>
#include <stdexcept>

#include "benchmarks/json_report.h"
#include "benchmarks/markdown_table.h"
#include "benchmarks/measure_row.h"
#include "benchmarks/svg_chart.h"
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

// Before minutes of measuring, not after them.
void check_files(const Settings& settings) {
  const bool draws = !settings.svg_file.empty() || !settings.markdown_file.empty();
  if (draws && !settings.wants("speed")) {
    throw std::invalid_argument("--svg and --markdown show the section speed, which is not wanted");
  }
  for (const std::string& file : {settings.json_file, settings.svg_file}) {
    if (!file.empty()) require_writable(file);
  }
  if (!settings.markdown_file.empty()) {
    with_figures(read_text(settings.markdown_file), "");
    require_writable(settings.markdown_file);
  }
}

void write_files(const Settings& settings, const Report& report) {
  if (!settings.json_file.empty()) write_text(settings.json_file, to_json(report));
  if (!settings.svg_file.empty()) write_text(settings.svg_file, draw_chart(report));
  if (!settings.markdown_file.empty()) {
    const std::string document = read_text(settings.markdown_file);
    write_text(settings.markdown_file, with_figures(document, markdown_tables(report)));
  }
}

int run(const Settings& settings) {
  check_files(settings);
  const Report report =
      settings.from_file.empty() ? measure(settings) : from_json(read_text(settings.from_file));
  write_files(settings, report);
  return report.has_wrong_rows() ? 1 : 0;
}

}  // namespace
}  // namespace bloomery::bench

int main(int argc, char** argv) {
  int exit_status = 0;
  const auto settings = bloomery::bench::parse_settings(argc, argv, exit_status);
  if (!settings) return exit_status;
  try {
    return bloomery::bench::run(*settings);
  } catch (const std::exception& error) {
    fmt::print(stderr, "bloomery_bench: {}\n", error.what());
    return 2;
  }
}
