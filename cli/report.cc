// SPDX-License-Identifier: Apache-2.0
#include "cli/report.h"

#include <fmt/format.h>

#include <algorithm>

#include "bloomery/errors.h"
#include "bloomery/text/human_bytes.h"
#include "bloomery/text/human_number.h"
#include "bloomery/text/printable.h"
#include "cli/text_table.h"

namespace bloomery::cli {

void Report::add(std::string name, Value value, std::string text) {
  lines_.emplace_back(label_of(name), text.empty() ? value.for_people() : std::move(text));
  json_[name] = std::move(value);
}

std::string Report::text() const {
  TextTable table(TextTable::Align::left);
  // Names and notes may be anybody's, and a terminal obeys control characters.
  for (const auto& [label, text] : lines_) table.add_row({label, without_controls(text)});
  return table.text();
}

std::string Report::text_of(std::string_view name) const {
  const auto found = std::ranges::find(lines_, label_of(name), &Line::first);
  return found == lines_.end() ? "-" : found->second;
}

void print(const Report& report, bool as_json, Output& output) {
  output.write(as_json ? json_line(report.json()) : report.text());
  output.flush();
}

void print_done(const Report& report, bool as_json) {
  Output output;
  try {
    print(report, as_json, output);
  } catch (const StoreError& error) {
    throw StoreError(std::string(error.what()) +
                     "; what was asked for is done, and only this report is lost");
  }
}

std::string json_line(const Report::Value& value) {
  return value.dump(2) + '\n';
}

std::string label_of(std::string_view name) {
  std::string label(name);
  std::ranges::replace(label, '_', ' ');
  return label;
}

std::string count_text(std::uint64_t count) {
  const std::string exact = std::to_string(count);
  return count < 10'000 ? exact : exact + " (" + format_count(count) + ")";
}

std::string bytes_text(std::uint64_t byte_count) {
  const std::string exact = std::to_string(byte_count);
  return byte_count < 1024 ? exact
                           : exact + " (" + human_bytes(static_cast<double>(byte_count)) + ")";
}

std::string rate_text(double rate) {
  if (!(rate > 0 && rate < 0.5)) return short_number(rate);
  const double one_in = 1 / rate;
  const std::string in = one_in < 1e15 ? format_count(static_cast<std::uint64_t>(one_in + 0.5))
                                       : short_number(one_in, 2);
  return short_number(rate) + " (1 in " + in + ")";
}

}  // namespace bloomery::cli
