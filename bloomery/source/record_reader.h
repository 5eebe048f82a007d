#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <string_view>

#include "bloomery/source/input_file.h"

namespace bloomery {

// Cuts a stream of bytes into records: views into one buffer, nothing copied. Costs a read a block
// and a memchr a record. The buffer grows with the longest record only.
//
// Records are whatever stands between separators, kept byte for byte: empty ones, NUL bytes,
// invalid UTF-8 and the carriage returns of Windows lines too. The last one needs no separator
// after it. Only the mark by which some programs begin a UTF-8 text (ef bb bf) is no part of the
// first line.
class RecordReader {
 public:
  static constexpr std::size_t kBatchRecords = 1024;

  // Whether a separator between double quotes is one.
  enum class Quotes { mean_nothing, hold_separators };

  // Reads from `file`, which outlives this.
  RecordReader(InputFile& file, char separator, std::uint64_t record_byte_limit,
               Quotes quotes = Quotes::mean_nothing);

  // The next records, as many as are at hand (a slow pipe is not waited for) but at most
  // kBatchRecords; empty only at the end. They are valid until the next call. Throws StoreError
  // when reading fails, std::invalid_argument at a record beyond the limit.
  std::span<const std::string_view> next();

  // Records and bytes (with separators) handed out up to now.
  std::uint64_t record_count() const noexcept { return record_count_; }
  std::uint64_t byte_count() const noexcept { return byte_count_; }

  // Whether the text began with that mark, known from the first records on.
  bool had_byte_order_mark() const noexcept { return had_byte_order_mark_; }

 private:
  struct Free {
    void operator()(char* bytes) const noexcept { std::free(bytes); }
  };

  std::span<const std::string_view> hand_out(std::size_t count, const char* up_to) noexcept;
  bool is_quoted_up_to(const char* from, const char* to) noexcept;
  void refill();
  void grow();

  InputFile& file_;
  char separator_;
  std::uint64_t record_byte_limit_;
  Quotes quotes_;
  bool inside_quotes_ = false;  // at scanned_
  bool had_byte_order_mark_ = false;

  std::unique_ptr<char, Free> buffer_;
  std::size_t capacity_ = 0;
  std::size_t begin_ = 0;    // of the first record not handed out
  std::size_t scanned_ = 0;  // no separator between begin_ and here
  std::size_t end_ = 0;      // of the bytes read
  bool at_end_ = false;

  std::uint64_t record_count_ = 0;
  std::uint64_t byte_count_ = 0;
  std::array<std::string_view, kBatchRecords> records_;
};

}  // namespace bloomery
