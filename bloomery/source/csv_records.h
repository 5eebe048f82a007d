// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace bloomery {

// Something in a record that readers of comma-separated values disagree about: each takes other
// bytes for its keys.
struct CsvFault {
  enum class Kind : std::uint8_t {
    unclosed,           // nothing closes the field before the text ends
    text_behind_quote,  // other bytes than the delimiter follow the quote that closes the field
    lone_return         // a carriage return outside quotes that is not before the record's end
  };
  Kind kind = Kind::unclosed;
  std::uint32_t field = 0;  // from 1
  std::size_t at = 0;       // where it stands: the opening quote, or the first byte that is wrong
};

// Finds where records of comma-separated values end (RFC 4180), in a text that comes in parts. A
// quote opens a field only where the field begins with it; within a field that begins otherwise it
// is a character. Within quotes, delimiters and separators belong to the field, and a doubled quote
// is one quote; what stands between a closing quote and the delimiter belongs to the record, and is
// a fault.
class CsvRecords {
 public:
  // `may_have_mark`: the text may begin with a byte order mark, which is none of its first field.
  CsvRecords(char separator, std::string delimiter, bool may_have_mark = false)
      : separator_(separator),
        delimiter_(std::move(delimiter)),
        state_(may_have_mark ? State::at_mark : State::at_begin) {}

  // Goes on at bytes[from], which must be where the last call ended, up to `size`. Returns where
  // the next record begins: behind the first separator that ends one, or npos where none does.
  std::size_t next(const char* bytes, std::size_t from, std::size_t size);

  // Begins anew at a record's first byte.
  void restart() noexcept;

  // Returns whether what was seen so far ends within quotes; field() is then that field's number,
  // from 1, and opened_at() where its quote stands, counted from the record's first byte.
  bool is_inside_quotes() const noexcept { return state_ == State::quoted; }
  // Returns whether the next byte may be one of a quoted field.
  bool is_in_doubt() const noexcept { return state_ == State::quoted || state_ == State::at_quote; }
  std::uint32_t field() const noexcept { return field_; }
  // The first fault of the records seen so far, its place counted from its record's first byte; the
  // field that is open, if one is, counts as unclosed.
  std::optional<CsvFault> fault() const noexcept;
  std::size_t opened_at() const noexcept { return opened_at_; }

 private:
  void note(CsvFault::Kind kind, std::size_t at) noexcept;
  bool goes_on_behind_quote(char byte) const noexcept;
  void match_delimiter(char byte) noexcept;

  enum class State : std::uint8_t {
    at_mark,   // within what may be a byte order mark
    at_begin,  // of a field
    plain,     // in a field, outside quotes
    quoted,
    at_quote,  // behind a quote that closes the field, unless another follows
    closed     // behind the quotes of a field
  };

  char separator_;
  std::string delimiter_;
  State state_;
  std::uint32_t field_ = 1;
  std::size_t opened_at_ = 0;
  std::size_t matched_ = 0;  // bytes of the delimiter, or of the mark, just before
  std::size_t seen_ = 0;     // bytes of the record
  bool had_return_ = false;  // outside quotes, just before
  std::optional<CsvFault> fault_;
};

// The mark that some programs begin a UTF-8 text with.
inline constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

inline constexpr std::size_t kNoRecordEnd = std::string_view::npos;

}  // namespace bloomery
