// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/csv_records.h"

#include <cstring>

namespace bloomery {

void CsvRecords::restart() noexcept {
  state_ = State::at_begin;
  field_ = 1;
  matched_ = 0;
  seen_ = 0;
  had_return_ = false;
}

void CsvRecords::note(CsvFault::Kind kind, std::size_t at) noexcept {
  if (!fault_) fault_ = CsvFault{kind, field_, at};
}

std::optional<CsvFault> CsvRecords::fault() const noexcept {
  if (fault_) return fault_;
  if (is_inside_quotes()) return CsvFault{CsvFault::Kind::unclosed, field_, opened_at_};
  return std::nullopt;
}

// The delimiter, or the record's end with or without a carriage return, stands behind a quote that
// closes a field.
bool CsvRecords::goes_on_behind_quote(char byte) const noexcept {
  if (byte == separator_) return matched_ == 0;
  return byte == delimiter_[matched_] || (byte == '\r' && matched_ == 0);
}

std::size_t CsvRecords::next(const char* bytes, std::size_t from, std::size_t size) {
  std::size_t at = from;
  while (at < size) {
    if (state_ == State::quoted) {
      const auto* const quote = static_cast<const char*>(std::memchr(bytes + at, '"', size - at));
      const std::size_t stop =
          quote == nullptr ? size : static_cast<std::size_t>(quote - bytes) + 1;
      if (quote != nullptr) state_ = State::at_quote;
      seen_ += stop - at;
      at = stop;
      continue;
    }
    const char byte = bytes[at++];
    ++seen_;
    if (state_ == State::at_mark) {
      if (byte == kByteOrderMark[matched_]) {
        if (++matched_ < kByteOrderMark.size()) continue;
        state_ = State::at_begin;
        matched_ = 0;
        continue;
      }
      state_ = matched_ == 0 ? State::at_begin : State::plain;
      matched_ = 0;
    }
    if (had_return_ && byte != separator_) note(CsvFault::Kind::lone_return, seen_ - 2);
    had_return_ = byte == '\r';
    if (state_ == State::at_quote) {
      state_ = byte == '"' ? State::quoted : State::closed;
      matched_ = 0;
      if (byte == '"') continue;
    } else if (state_ == State::at_begin) {
      if (byte == '"') {
        opened_at_ = seen_ - 1;
        state_ = State::quoted;
        continue;
      }
      state_ = State::plain;
      matched_ = 0;
    }
    if (state_ == State::closed && !goes_on_behind_quote(byte)) {
      note(CsvFault::Kind::text_behind_quote, seen_ - 1);
      state_ = State::plain;
    }
    if (byte == separator_) {
      restart();
      return at;
    }
    match_delimiter(byte);
  }
  return kNoRecordEnd;
}

// A delimiter ends where its last byte stands; of one that a part of itself begins anew in, such as
// "aab", the first that is whole counts.
void CsvRecords::match_delimiter(char byte) noexcept {
  while (matched_ > 0 && byte != delimiter_[matched_]) {
    const std::string_view prefix(delimiter_.data(), matched_);
    std::size_t shorter = matched_ - 1;
    while (shorter > 0 && !prefix.ends_with(std::string_view(delimiter_).substr(0, shorter))) {
      --shorter;
    }
    matched_ = shorter;
  }
  if (byte == delimiter_[matched_]) ++matched_;
  if (matched_ < delimiter_.size()) return;
  state_ = State::at_begin;
  matched_ = 0;
  ++field_;
}

}  // namespace bloomery
