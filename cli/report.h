// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/json.h"
#include "cli/output.h"
#include "cli/short_number.h"

namespace bloomery::cli {

// A report has what a command says: fields in order, printed as aligned text for people or, with
// --json, as one object for programs. Names are the words of the library (bit_count, fill_ratio,
// ...); text shows them with blanks.
class Report {
 public:
  using Value = Json;

  // `text` is the value as a person reads it; without one the value is shown as it is.
  void add(std::string name, Value value, std::string text = {});

  // Adds `value` as it is for programs, and no line of text.
  void add_json(std::string_view name, Value value) { json_[name] = std::move(value); }

  const Value& json() const noexcept { return json_; }
  std::string text() const;

  // Returns what text() shows of the field `name`, "-" where there is none.
  std::string text_of(std::string_view name) const;

 private:
  using Line = std::pair<std::string, std::string>;  // label, text

  Value json_ = Value::object();
  std::vector<Line> lines_;
};

// Writes the report as text or as JSON, and flushes.
void print(const Report& report, bool as_json, Output& output);
// The report of something that is changed already: where it cannot be written, it is said that the
// change was made all the same.
void print_done(const Report& report, bool as_json);

// The object and a newline. Bytes that are not UTF-8 (names of files) become U+FFFD.
std::string json_line(const Report::Value& value);

// Values as people read them.
std::string label_of(std::string_view name);       // "bit_count": "bit count"
std::string count_text(std::uint64_t count);       // "10000000 (10M)"
std::string bytes_text(std::uint64_t byte_count);  // "1262277 (1.2 MiB)"
std::string rate_text(double rate);                // "0.01 (1 in 100)"

}  // namespace bloomery::cli
