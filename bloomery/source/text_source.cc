// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/text_source.h"

#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "bloomery/source/block_reader.h"
#include "bloomery/source/count_records.h"
#include "bloomery/source/in_order.h"
#include "bloomery/source/record_keys.h"

namespace bloomery {
namespace {

// By which some programs begin a UTF-8 text.
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

// A block on its way to the consumer.
struct Piece {
  Block block;
  std::vector<std::string_view> records;
  bool had_byte_order_mark = false;
  RecordKeys keys;
  Batch batch{};
};

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
  const RecordEnds ends{options_.separator, options_.csv};
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
    cut_records(piece.block.text(), ends, piece.records);
    piece.had_byte_order_mark = piece.block.is_first() && options_.separator == '\n' &&
                                piece.records[0].starts_with(kByteOrderMark);
    if (piece.had_byte_order_mark) piece.records[0].remove_prefix(kByteOrderMark.size());
    const std::size_t heading = piece.block.is_first() && options_.skip_header ? 1 : 0;
    const std::span<const Key> keys =
        piece.keys.take(std::span(piece.records).subspan(heading), options_);
    piece.batch = {
        .keys = keys,
        .lines = std::span<const std::string_view>(piece.records).subspan(heading, keys.size()),
        .first_record = 0,
        .byte_count = piece.block.byte_count(),
        .slot = slot};
    if (preparation.work && !keys.empty()) preparation.work(piece.batch);
  };
  steps.end = [&](std::size_t slot) {
    Piece& piece = pieces[slot];
    if (piece.block.is_first()) {
      const bool keeps_blanks =
          !options_.csv && !has(options_.normalise, Normalise::trim | Normalise::integer);
      first_line_ended_in_cr_ = keeps_blanks && piece.records[0].ends_with('\r');
      had_byte_order_mark_ = piece.had_byte_order_mark;
      heading_count = options_.skip_header ? 1 : 0;
    }
    piece.batch.first_record = heading_count + totals.key_count + 1;
    const std::size_t count = piece.batch.keys.size();
    totals.key_count += count;
    totals.byte_count = piece.batch.byte_count;
    if (count > 0 && !consumer(piece.batch)) return false;
    if (!piece.keys.problem().empty()) {
      throw wrong_at(piece.batch.first_record + count, piece.keys.problem());
    }
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
