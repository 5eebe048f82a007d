// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/block_reader.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "bloomery/source/count_records.h"
#include "bloomery/text/human_bytes.h"

namespace bloomery {

bool BlockReader::next(Block& block) {
  if (at_end_ && carried_.empty()) return false;
  if (block.capacity_ > kBlockBytes && carried_.size() < kBlockBytes) {
    block.buffer_.reset();
    block.capacity_ = 0;
  }
  while (block.capacity_ <= carried_.size()) grow(block);
  std::size_t end = carried_.copy(block.buffer_.get(), carried_.size());
  std::size_t whole = 0;  // bytes of records that have ended
  while (whole == 0 && !at_end_) {
    if (end == block.capacity_) grow(block);
    const std::size_t got = file_.read(block.buffer_.get() + end, block.capacity_ - end);
    at_end_ = got == 0;
    whole = end_of_records(block.buffer_.get(), end, end + got);
    end += got;
    // Records that have come are handed over before the rest of the next one is waited for.
    if (whole == 0 && !at_end_ && end < kBlockBytes && file_.would_wait()) break;
  }
  if (at_end_) whole = end;
  const char* const bytes = block.buffer_.get();
  carried_.assign(bytes + whole, end - whole);
  last_was_long_ = block.capacity_ > kBlockBytes;
  byte_count_ += whole;
  block.byte_count_ = byte_count_;
  block.text_ = {bytes, whole};
  block.is_first_ = whole > 0 && std::exchange(at_begin_, false);
  return whole > 0 || !at_end_;
}

// Behind the last separator between `from` and `to` that ends a record; 0 where there is none.
// Everything before `from` was looked at.
std::size_t BlockReader::end_of_records(const char* bytes, std::size_t from, std::size_t to) {
  const auto last_separator = [&] {
    const auto* const hit =
        static_cast<const char*>(memrchr(bytes + from, ends_.separator, to - from));
    return hit == nullptr ? 0 : static_cast<std::size_t>(hit - bytes) + 1;
  };
  if (!csv_) return last_separator();
  std::size_t whole = 0;
  if (!csv_->is_in_doubt() && std::memchr(bytes + from, '"', to - from) == nullptr) {
    whole = last_separator();
    if (whole != 0) csv_->restart();
  }
  std::size_t at = std::max(from, whole);
  while ((at = csv_->next(bytes, at, to)) != kNoRecordEnd) whole = at;
  return whole;
}

void BlockReader::grow(Block& block) const {
  const std::size_t wanted = block.capacity_ == 0 ? kBlockBytes : 2 * block.capacity_;
  const auto too_long = [&] {
    const std::string_view bytes = carried_.size() >= block.capacity_
                                       ? std::string_view(carried_)
                                       : std::string_view(block.buffer_.get(), block.capacity_);
    return TooLongRecord{
        "is longer than " + human_bytes(static_cast<double>(block.capacity_)) +
            ", and more does not fit in memory (the limit is " +
            human_bytes(static_cast<double>(record_byte_limit_)) + ")" +
            (csv_ && csv_->is_inside_quotes() ? "; does anything close the quote of its field " +
                                                    std::to_string(csv_->field()) + "?"
                                              : ""),
        csv_ && csv_->is_inside_quotes() ? count_byte(bytes.substr(0, csv_->opened_at()), '\n')
                                         : 0};
  };
  if (block.capacity_ > 0 && wanted > record_byte_limit_) throw too_long();
  // realloc moves pages instead of bytes once they are many.
  auto* const bytes = static_cast<char*>(std::realloc(block.buffer_.get(), wanted));
  if (bytes == nullptr && block.capacity_ == 0) throw std::bad_alloc();
  if (bytes == nullptr) throw too_long();
  static_cast<void>(block.buffer_.release());
  block.buffer_.reset(bytes);
  block.capacity_ = wanted;
}

namespace {

// Finds a carriage return that is not before the end of its record, and the text behind it;
// `record` has no quotes.
std::optional<CsvFault> lone_return_in(std::string_view record, const std::string& delimiter) {
  const std::size_t at = record.find('\r');
  if (at == std::string_view::npos || at + 1 == record.size()) return std::nullopt;
  CsvFault fault{CsvFault::Kind::lone_return, 1, at};
  for (std::size_t hit = 0; (hit = record.find(delimiter, hit)) < at; hit += delimiter.size()) {
    ++fault.field;
  }
  return fault;
}

}  // namespace

std::optional<CsvFault> cut_records(std::string_view text, const RecordEnds& ends,
                                    std::vector<std::string_view>& records) {
  records.clear();
  std::size_t begin = 0;
  std::optional<CsvFault> fault;
  const auto cut_at = [&](std::size_t next) {
    records.push_back(text.substr(begin, next - 1 - begin));
    begin = next;
  };
  if (!ends.csv_delimiter || text.find('"') == std::string_view::npos) {
    const bool may_be_lone = ends.csv_delimiter && text.find('\r') != std::string_view::npos;
    for (std::size_t hit; (hit = text.find(ends.separator, begin)) != std::string_view::npos;) {
      if (may_be_lone) {
        fault = lone_return_in(text.substr(begin, hit - begin), *ends.csv_delimiter);
        if (fault) break;
      }
      cut_at(hit + 1);
    }
    if (may_be_lone && !fault) fault = lone_return_in(text.substr(begin), *ends.csv_delimiter);
  } else {
    CsvRecords csv(ends.separator, *ends.csv_delimiter);
    for (std::size_t next;
         (next = csv.next(text.data(), begin, text.size())) != kNoRecordEnd && !csv.fault();) {
      cut_at(next);
    }
    fault = csv.fault();
  }
  if (fault) {
    fault->at += begin;
    return fault;
  }
  if (begin != text.size()) records.push_back(text.substr(begin));
  return std::nullopt;
}

}  // namespace bloomery
