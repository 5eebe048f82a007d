// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "bloomery/source/input_file.h"
#include "bloomery/source/key_source.h"
#include "bloomery/source/source_options.h"

namespace bloomery {

// Keys out of a text, a record each: see block_reader.h for the records, record_keys.h for what a
// key costs. Where the record is its key the batch is views into the read buffer.
class TextSource final : public KeySource {
 public:
  // Throws std::invalid_argument where a field is wanted and the delimiter is empty, where no field
  // of CSV is wanted, and where its delimiter holds a quote or a byte that ends records; for
  // a regular file that is no text of records (not_a_text.h). Throws StoreError for one that cannot
  // be read, or whose compressed bytes are damaged at their begin.
  TextSource(InputFile file, SourceOptions options);

  // A second call starts again, which a pipe cannot: StoreError.
  SourceTotals for_each_batch(const BatchConsumer& consumer) override {
    return for_each_prepared({}, consumer);
  }
  // The threads cut the text into keys, and prepare them.
  SourceTotals for_each_prepared(const Preparation& preparation,
                                 const BatchConsumer& consumer) override;

  std::optional<std::uint64_t> expected_count() override;
  std::optional<std::uint64_t> expected_byte_count() override {
    return file_.encoded() != Encoded::plain ? std::nullopt : file_.byte_count();
  }

  // The number, from 1, of the first line with a key that holds a carriage return, which belongs to
  // the key: most likely a mistake that somebody should be told of. 0: none did. Within quotes of
  // comma-separated values, only one at the key's end counts.
  std::uint64_t line_with_return() const noexcept { return line_with_return_; }

  // The number, from 1, of the first line of comma-separated values where quotes hold a line end
  // and a backslash before a doubled quote: if a backslash was to escape it, records are misread.
  // 0: there is none.
  std::uint64_t line_with_escape() const noexcept { return line_with_escape_; }

  // Returns the file's name where it ends as tables do, .csv or .tsv, and each record is a key as a
  // whole; else empty.
  std::string table_of_whole_lines() const;

  // Returns whether the text read began with a byte order mark, which is no part of the first line.
  bool had_byte_order_mark() const noexcept { return had_byte_order_mark_; }

 private:
  InputFile file_;
  SourceOptions options_;
  bool was_read_ = false;
  std::uint64_t line_with_return_ = 0;
  std::uint64_t line_with_escape_ = 0;
  bool had_byte_order_mark_ = false;
};

}  // namespace bloomery
