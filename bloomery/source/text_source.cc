// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/text_source.h"

#include <algorithm>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bloomery/source/block_reader.h"
#include "bloomery/source/count_records.h"
#include "bloomery/source/in_order.h"
#include "bloomery/source/not_a_text.h"
#include "bloomery/source/record_keys.h"

namespace bloomery {
namespace {

// A block on its way to the consumer.
struct Piece {
  Block block;
  std::vector<std::string_view> records;
  bool had_byte_order_mark = false;
  RecordKeys keys;
  Batch batch{};
  std::string_view text;   // of the block, without a byte order mark
  std::string refusal;     // the text is not one that can be read as it was asked for
  std::string problem;     // why the record behind the keys cannot be read
  std::size_t line_count;  // newlines in the text of comma-separated values, else records
  // Places in the text; kNowhere: there is none.
  std::size_t problem_at;
  std::size_t return_at;  // a record whose key holds a carriage return
  std::size_t escape_at;  // a record in which a backslash may be meant to escape a quote
};

constexpr std::size_t kNowhere = std::string_view::npos;

// The first record that takes several lines and has a backslash before a doubled quote. Writers
// that escape quotes by backslashes end a field there that here goes on: over records, perhaps.
std::size_t escape_in(std::string_view text, std::span<const std::string_view> records) {
  if (text.find(R"(\"")") == kNowhere) return kNowhere;
  for (const std::string_view record : records) {
    if (record.find('\n') != kNowhere && record.find(R"(\"")") != kNowhere) {
      return static_cast<std::size_t>(record.data() - text.data());
    }
  }
  return kNowhere;
}

// The first record whose key has a carriage return: in quotes, at its end only.
std::size_t return_in(std::string_view text, std::span<const std::string_view> records,
                      std::span<const Key> keys, bool is_csv) {
  if (text.find('\r') == kNowhere) return kNowhere;
  const auto found = std::ranges::find_if(
      keys, [&](Key key) { return is_csv ? key.ends_with('\r') : key.find('\r') != kNowhere; });
  if (found == keys.end()) return kNowhere;
  return static_cast<std::size_t>(records[static_cast<std::size_t>(found - keys.begin())].data() -
                                  text.data());
}

std::string problem_of(const CsvFault& fault) {
  const std::string field = "field " + std::to_string(fault.field);
  switch (fault.kind) {
    case CsvFault::Kind::unclosed:
      return field + " begins with a quote that nothing closes before the text ends";
    case CsvFault::Kind::text_behind_quote:
      return field +
             " has more than the delimiter behind its closing quote; a quote within quotes "
             "is written twice, and a backslash escapes none";
    case CsvFault::Kind::lone_return:
      return field +
             " holds a carriage return outside quotes, which ends a record for some "
             "readers; `tr '\\r' '\\n'` makes line ends of such, `tr -d '\\r'` takes "
             "them out";
  }
  return field;
}

}  // namespace

std::string TextSource::table_of_whole_lines() const {
  const std::string& name = file_.name();
  const bool is_table = name.ends_with(".csv") || name.ends_with(".tsv");
  return is_table && options_.field == 0 ? name : std::string();
}

TextSource::TextSource(InputFile file, SourceOptions options)
    : file_(std::move(file)), options_(std::move(options)) {
  if (options_.field > 0 && options_.delimiter.empty()) {
    throw std::invalid_argument("the delimiter of fields is empty; allowed: one byte or more");
  }
  if (options_.csv && options_.field == 0) {
    throw std::invalid_argument("which field of the comma-separated values is the key? From 1");
  }
  if (options_.csv &&
      options_.delimiter.find_first_of({'"', '\r', options_.separator}) != std::string::npos) {
    throw std::invalid_argument(
        "the delimiter of comma-separated values holds a quote, a carriage return or what ends a "
        "record; allowed: other bytes");
  }
  // A file that holds no text is refused before anything is done with its keys.
  if (file_.is_regular()) {
    const std::string refusal = why_no_text(file_.begin(kTextLookedAt), options_.separator);
    if (!refusal.empty()) throw std::invalid_argument(file_.name() + ": " + refusal);
  }
}

SourceTotals TextSource::for_each_prepared(const Preparation& preparation,
                                           const BatchConsumer& consumer) {
  if (std::exchange(was_read_, true)) file_.restart();
  const RecordEnds ends{options_.separator,
                        options_.csv ? std::optional(options_.delimiter) : std::nullopt};
  BlockReader reader(file_, ends, options_.record_byte_limit);
  std::vector<Piece> pieces(slot_count(preparation.threads));
  SourceTotals totals;
  std::uint64_t heading_count = 0;
  const auto wrong_at = [&](std::uint64_t record, const std::string& why) {
    return std::invalid_argument(file_.name() + ":" + std::to_string(record) + ": " + why);
  };

  OrderedSteps steps;
  steps.begin = [&](std::size_t slot) { return reader.next(pieces[slot].block); };
  steps.would_wait = [&] { return reader.would_wait(); };
  steps.work = [&](std::size_t slot) {
    Piece& piece = pieces[slot];
    piece.text = piece.block.text();
    piece.refusal =
        why_no_text(piece.text, options_.separator, piece.block.byte_count() - piece.text.size());
    piece.had_byte_order_mark = piece.block.is_first() && options_.separator == '\n' &&
                                piece.text.starts_with(kByteOrderMark);
    if (piece.had_byte_order_mark) piece.text.remove_prefix(kByteOrderMark.size());
    const auto fault = cut_records(piece.text, ends, piece.records);
    if (piece.had_byte_order_mark && piece.text.empty()) piece.records.push_back(piece.text);
    const std::size_t heading =
        piece.block.is_first() && options_.skip_header && !piece.records.empty() ? 1 : 0;
    const auto records = std::span<const std::string_view>(piece.records).subspan(heading);
    const std::span<const Key> keys = piece.keys.take(records, options_);
    piece.problem = piece.keys.problem();
    if (!piece.problem.empty()) {
      piece.problem_at = static_cast<std::size_t>(records[keys.size()].data() - piece.text.data());
    } else if (fault) {
      piece.problem = problem_of(*fault);
      piece.problem_at = fault->at;
    }
    piece.line_count = options_.csv ? count_byte(piece.text, '\n') : piece.records.size();
    piece.return_at = options_.encoding == KeyEncoding::text
                          ? return_in(piece.text, records, keys, options_.csv)
                          : kNowhere;
    piece.escape_at = options_.csv ? escape_in(piece.text, records) : kNowhere;
    piece.batch = {.keys = keys,
                   .lines = records.first(keys.size()),
                   .first_record = 0,
                   .byte_count = piece.block.byte_count(),
                   .slot = slot};
    if (preparation.work && !keys.empty() && piece.refusal.empty()) preparation.work(piece.batch);
  };
  std::uint64_t lines_before = 0;
  const auto line_at = [&](const Piece& piece, std::size_t at) {
    const char end = options_.csv ? '\n' : options_.separator;
    return lines_before + count_byte(piece.text.substr(0, at), end) + 1;
  };
  const auto note_first = [&](std::uint64_t& line, const Piece& piece, std::size_t at) {
    if (line == 0 && at != kNowhere) line = line_at(piece, at);
  };
  steps.end = [&](std::size_t slot) {
    Piece& piece = pieces[slot];
    if (!piece.refusal.empty()) {
      throw std::invalid_argument(file_.name() + ": " + piece.refusal);
    }
    if (piece.block.is_first()) {
      had_byte_order_mark_ = piece.had_byte_order_mark;
      heading_count = options_.skip_header ? 1 : 0;
    }
    note_first(line_with_return_, piece, piece.return_at);
    note_first(line_with_escape_, piece, piece.escape_at);
    piece.batch.first_record = heading_count + totals.key_count + 1;
    const std::size_t count = piece.batch.keys.size();
    totals.key_count += count;
    totals.byte_count = piece.batch.byte_count;
    if (count > 0 && !consumer(piece.batch)) return false;
    if (!piece.problem.empty()) throw wrong_at(line_at(piece, piece.problem_at), piece.problem);
    lines_before += piece.line_count;
    return true;
  };
  try {
    run_in_order(preparation.threads, steps);
  } catch (const TooLongRecord& record) {
    throw wrong_at(lines_before + record.newline_count + 1, record.why);
  }
  return totals;
}

std::optional<std::uint64_t> TextSource::expected_count() {
  if (!file_.is_regular()) return std::nullopt;
  const std::uint64_t count = count_records(file_, options_.separator, options_.counting_threads);
  return count - (options_.skip_header && count > 0 ? 1 : 0);
}

}  // namespace bloomery
