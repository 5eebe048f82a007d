// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bloomery/source/csv_records.h"
#include "bloomery/source/input_file.h"

namespace bloomery {

// How a text is cut into records.
struct RecordEnds {
  char separator = '\n';
  // `csv_delimiter`: what stands between fields that may be quoted (csv_records.h). None: a
  // separator always ends a record.
  std::optional<std::string> csv_delimiter{};
};

// Whole records of a text, one behind the other, each with the separator that ends it; the last of
// all may lack it.
class Block {
 public:
  std::string_view text() const noexcept { return text_; }
  // Read from the source up to the end of this block.
  std::uint64_t byte_count() const noexcept { return byte_count_; }
  bool is_first() const noexcept { return is_first_; }

 private:
  friend class BlockReader;

  struct Free {
    void operator()(char* bytes) const noexcept { std::free(bytes); }
  };

  std::unique_ptr<char, Free> buffer_;
  std::size_t capacity_ = 0;
  std::string_view text_;
  std::uint64_t byte_count_ = 0;
  bool is_first_ = false;
};

// Thrown where a record cannot be read; the catcher knows its number.
struct TooLongRecord {
  std::string why;
  std::uint64_t newline_count;  // in the record, before the quote that nothing closes so far
};

// Cuts a stream of bytes into blocks, at ends of records. Costs a read a block, a look at its last
// record, and a copy of what is left over; of a part of CSV that has quotes, also a pass over it.
//
// Records are whatever stands between separators, kept byte for byte: empty ones, NUL bytes,
// invalid UTF-8 and the carriage returns of Windows lines too.
class BlockReader {
 public:
  // Small enough that those under way stay in the caches.
  static constexpr std::size_t kBlockBytes = std::size_t{64} * 1024;

  // Reads from `file`, which outlives this.
  BlockReader(InputFile& file, RecordEnds ends, std::uint64_t record_byte_limit)
      : file_(file), ends_(std::move(ends)), record_byte_limit_(record_byte_limit) {
    if (ends_.csv_delimiter)
      csv_.emplace(ends_.separator, *ends_.csv_delimiter,
                   /*may_have_mark=*/ends_.separator == '\n');
  }

  // The next records, as many as are at hand (a slow pipe is not waited for) and fit a block, and
  // none where it has sent a part of one only; false, and nothing, at the end. The block's memory
  // is used again, and grows with its longest record only. Throws StoreError when reading fails,
  // TooLongRecord at a record beyond the limit.
  bool next(Block& block);

  // Returns whether next() would wait, for bytes or, after an unusual one, for memory.
  bool would_wait() const { return last_was_long_ || file_.would_wait(); }

 private:
  std::size_t end_of_records(const char* bytes, std::size_t from, std::size_t to);
  void grow(Block& block) const;

  InputFile& file_;
  RecordEnds ends_;
  std::uint64_t record_byte_limit_;
  std::optional<CsvRecords> csv_;  // where the last look ended
  std::string carried_;            // read, behind the last block
  bool last_was_long_ = false;
  bool at_begin_ = true;
  bool at_end_ = false;
  std::uint64_t byte_count_ = 0;  // handed out
};

// Cuts a block's text into its records. Where one of comma-separated values has a fault, it and
// those behind it are left out, and the fault returned, its place counted from the text's begin.
std::optional<CsvFault> cut_records(std::string_view text, const RecordEnds& ends,
                                    std::vector<std::string_view>& records);

}  // namespace bloomery
