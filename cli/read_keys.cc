// SPDX-License-Identifier: Apache-2.0
#include "cli/read_keys.h"

#include <unistd.h>

#include <memory>
#include <optional>

#include "bloomery/source/open_source.h"
#include "bloomery/source/text_source.h"
#include "cli/given_keys.h"
#include "cli/messages.h"
#include "cli/terminal_progress.h"

namespace bloomery::cli {
namespace {

void warn_of_line_ends_and_marks(const KeySource& source) {
  const auto* const text = dynamic_cast<const TextSource*>(&source);
  if (text != nullptr && text->had_byte_order_mark()) {
    complain("the text begins with a byte order mark, which is not taken for part of a key");
  }
  if (text != nullptr && text->line_with_return() != 0) {
    complain("line " + std::to_string(text->line_with_return()) +
             " has a carriage return, which is part of its key; `tr -d '\\r'` takes them out");
  }
  if (text != nullptr && text->line_with_escape() != 0) {
    complain("line " + std::to_string(text->line_with_escape()) +
             " begins a record of several lines with a backslash before a quote, which escapes "
             "nothing: if its writer meant that, records are lost in it; quotes within quotes are "
             "written twice");
  }
}

}  // namespace

void warn_of_unequal_bytes(const KeySource& source) {
  const std::string advice = source.equality_advice();
  if (!advice.empty()) complain(advice);
}

SourceTotals read_keys(KeySource& source, const std::string& label, const Progress::Totals& totals,
                       const BatchConsumer& consumer, const Preparation& preparation) {
  warn_of_unequal_bytes(source);
  std::optional<Progress> progress;
  if (!label.empty()) progress = terminal_progress(label, totals);
  std::uint64_t key_count = 0;
  try {
    const SourceTotals read = source.for_each_prepared(preparation, [&](const Batch& batch) {
      key_count += batch.keys.size();
      const bool more = consumer(batch);
      if (progress) progress->update(key_count, batch.byte_count);
      return more;
    });
    if (progress) progress->finish();
    warn_of_line_ends_and_marks(source);
    return read;
  } catch (...) {
    if (progress) progress->clear();
    throw;
  }
}

SourceTotals read_keys(const KeyInputs& inputs, const SourceOptions& options,
                       const std::string& label, const BatchConsumer& consumer,
                       const Preparation& preparation) {
  SourceTotals all;
  bool wants_more = true;
  const auto read = [&](KeySource& source, const std::string& shown) {
    const SourceTotals one = read_keys(
        source, shown, {std::nullopt, source.expected_byte_count()},
        [&](const Batch& batch) { return wants_more = consumer(batch); }, preparation);
    all.key_count += one.key_count;
    all.null_count += one.null_count;
    all.byte_count += one.byte_count;
  };
  if (!inputs.given.empty()) {
    GivenKeySource given(inputs.given, options);
    read(given, "");
  }
  for (const std::string& location :
       inputs.are_standard_input() ? std::vector<std::string>{"-"} : inputs.locations) {
    if (!wants_more) break;
    const auto source = open_source(location, options);
    // A person who types the keys sees no label: their number needs no message.
    const bool typed = location == "-" && isatty(STDIN_FILENO) != 0;
    read(*source, typed ? "" : label);
  }
  return all;
}

}  // namespace bloomery::cli
