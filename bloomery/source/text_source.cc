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
  std::string refusal;      // the text is not one that can be read as it was asked for
  std::string problem;      // why the record behind the keys cannot be read
  std::size_t problem_at;   // and where in the block
  std::size_t line_count;   // newlines in the block
  std::size_t with_return;  // which of the records is the first that ends in a carriage return
};

std::string problem_of(const UnclosedField& unclosed) {
  return "field " + std::to_string(unclosed.field) +
         " begins with a quote that nothing closes before the text ends";
}

}  // namespace

TextSource::TextSource(InputFile file, SourceOptions options)
    : file_(std::move(file)), options_(std::move(options)) {
  if (options_.field > 0 && options_.delimiter.empty()) {
    throw std::invalid_argument("the delimiter of fields is empty; allowed: one byte or more");
  }
  if (options_.csv && options_.field == 0) {
    throw std::invalid_argument("which field of the comma-separated values is the key? From 1");
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
  const bool returns_belong_to_keys =
      !options_.csv && !has(options_.normalise, Normalise::trim | Normalise::integer);
  steps.work = [&](std::size_t slot) {
    Piece& piece = pieces[slot];
    std::string_view text = piece.block.text();
    piece.refusal = piece.block.is_first() ? why_no_text(text, options_.separator) : std::string();
    piece.had_byte_order_mark =
        piece.block.is_first() && options_.separator == '\n' && text.starts_with(kByteOrderMark);
    if (piece.had_byte_order_mark) text.remove_prefix(kByteOrderMark.size());
    const auto unclosed = cut_records(text, ends, piece.records);
    if (piece.had_byte_order_mark && text.empty()) piece.records.push_back(text);
    const std::size_t heading =
        piece.block.is_first() && options_.skip_header && !piece.records.empty() ? 1 : 0;
    const auto records = std::span<const std::string_view>(piece.records).subspan(heading);
    const std::span<const Key> keys = piece.keys.take(records, options_);
    piece.problem = piece.keys.problem();
    piece.problem_at = 0;
    if (!piece.problem.empty()) {
      piece.problem_at = static_cast<std::size_t>(records[keys.size()].data() - text.data());
    } else if (unclosed) {
      piece.problem = problem_of(*unclosed);
      piece.problem_at = unclosed->at;
    }
    piece.line_count = options_.csv ? count_byte(text, '\n') : 0;
    piece.with_return = keys.size();
    if (returns_belong_to_keys) {
      const auto ends_in_return = [](std::string_view record) { return record.ends_with('\r'); };
      const auto found = std::ranges::find_if(records.first(keys.size()), ends_in_return);
      piece.with_return = static_cast<std::size_t>(found - records.begin());
    }
    if (options_.csv && !piece.problem.empty()) {
      piece.problem_at = count_byte(text.substr(0, piece.problem_at), '\n');
    }
    piece.batch = {.keys = keys,
                   .lines = records.first(keys.size()),
                   .first_record = 0,
                   .byte_count = piece.block.byte_count(),
                   .slot = slot};
    if (preparation.work && !keys.empty() && piece.refusal.empty()) preparation.work(piece.batch);
  };
  std::uint64_t lines_before = 0;
  steps.end = [&](std::size_t slot) {
    Piece& piece = pieces[slot];
    if (!piece.refusal.empty()) {
      throw std::invalid_argument(file_.name() + ": " + piece.refusal);
    }
    if (piece.block.is_first()) {
      had_byte_order_mark_ = piece.had_byte_order_mark;
      heading_count = options_.skip_header ? 1 : 0;
    }
    piece.batch.first_record = heading_count + totals.key_count + 1;
    const std::size_t count = piece.batch.keys.size();
    if (line_with_return_ == 0 && piece.with_return < count) {
      line_with_return_ = piece.batch.first_record + piece.with_return;
    }
    totals.key_count += count;
    totals.byte_count = piece.batch.byte_count;
    if (count > 0 && !consumer(piece.batch)) return false;
    if (!piece.problem.empty()) {
      throw wrong_at(
          options_.csv ? lines_before + piece.problem_at + 1 : piece.batch.first_record + count,
          piece.problem);
    }
    lines_before += piece.line_count;
    return true;
  };
  try {
    run_in_order(preparation.threads, steps);
  } catch (const TooLongRecord& record) {
    throw wrong_at(heading_count + totals.key_count + 1, record.why);
  }
  return totals;
}

std::optional<std::uint64_t> TextSource::expected_count() {
  if (!file_.is_regular()) return std::nullopt;
  const std::uint64_t count = count_records(file_, options_.separator, options_.counting_threads);
  return count - (options_.skip_header && count > 0 ? 1 : 0);
}

}  // namespace bloomery
