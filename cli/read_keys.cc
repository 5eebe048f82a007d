// SPDX-License-Identifier: Apache-2.0
#include "cli/read_keys.h"

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "bloomery/source/open_source.h"
#include "bloomery/source/text_source.h"
#include "cli/given_keys.h"
#include "cli/messages.h"
#include "cli/terminal_progress.h"

namespace bloomery::cli {
namespace {

void warn_of_line_ends_and_marks(const KeySource& source) {
  const auto* const text = dynamic_cast<const TextSource*>(&source);
  if (const std::string table = text == nullptr ? "" : text->table_of_whole_lines();
      !table.empty()) {
    complain(table + ": each line is a key as a whole; -F N takes its field N as the key" +
             (table.ends_with(".csv") ? ", with --csv" : ""));
  }
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

bool is_beyond_ascii(char c) noexcept {
  return static_cast<unsigned char>(c) >= 0x80;
}

// Returns whether browsers write the canonical URL in another way, which is another key: its
// letters beyond ASCII as %XX, and a host of such letters as xn--.
bool has_other_spelling(std::string_view url) noexcept {
  const std::size_t scheme = url.find("://");
  if (scheme == std::string_view::npos) return false;
  const std::string_view host = url.substr(scheme + 3);
  return std::ranges::any_of(url, is_beyond_ascii) ||
         host.substr(0, host.find_first_of("/?")).find('%') != std::string_view::npos;
}

// Finds the first key that the normalisation url leaves with other spellings.
class UrlLook {
 public:
  explicit UrlLook(Normalise normalise) : is_over_(!has(normalise, Normalise::url)) {}

  void look(const Batch& batch) {
    if (is_over_) return;
    const auto found = std::ranges::find_if(batch.keys, has_other_spelling);
    if (found == batch.keys.end()) return;
    is_over_ = true;
    line_ = batch.first_record + static_cast<std::uint64_t>(found - batch.keys.begin());
  }
  void warn() const {
    if (line_ == 0) return;
    complain("line " + std::to_string(line_) +
             " is a URL beyond ASCII: --normalise url leaves \xc3\xa9 and %C3%A9, and a host and "
             "its form with xn--, two keys; write all of them in ASCII, as browsers send them");
  }

 private:
  bool is_over_;
  std::uint64_t line_ = 0;
};

}  // namespace

void warn_of_unequal_bytes(const KeySource& source) {
  const std::string advice = source.equality_advice();
  if (!advice.empty()) complain(advice);
}

SourceTotals read_keys(KeySource& source, const std::string& label, const Progress::Totals& totals,
                       const BatchConsumer& consumer, const Preparation& preparation,
                       Normalise normalise) {
  warn_of_unequal_bytes(source);
  UrlLook urls(normalise);
  std::optional<Progress> progress;
  if (!label.empty()) progress = terminal_progress(label, totals);
  std::uint64_t key_count = 0;
  try {
    const SourceTotals read = source.for_each_prepared(preparation, [&](const Batch& batch) {
      key_count += batch.keys.size();
      urls.look(batch);
      const bool more = consumer(batch);
      if (progress) progress->update(key_count, batch.byte_count);
      return more;
    });
    if (progress) progress->finish();
    warn_of_line_ends_and_marks(source);
    urls.warn();
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
        [&](const Batch& batch) { return wants_more = consumer(batch); }, preparation,
        options.normalise);
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
