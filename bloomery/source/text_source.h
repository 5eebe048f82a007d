#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/source/input_file.h"
#include "bloomery/source/key_source.h"
#include "bloomery/source/source_options.h"

namespace bloomery {

// Keys out of a text, a record each. Where the record is its key the batch is views into the read
// buffer and costs no more than finding the separators; a field costs one search a field before it,
// an encoding one pass over the key.
class TextSource final : public KeySource {
 public:
  // Throws std::invalid_argument where a field is wanted and the delimiter is empty, and where no
  // field of CSV is.
  TextSource(InputFile file, SourceOptions options);

  // A second call starts again, which a pipe cannot: StoreError.
  SourceTotals for_each_batch(const BatchConsumer& consumer) override;

  std::optional<std::uint64_t> expected_count() override;
  std::optional<std::uint64_t> expected_byte_count() override {
    return file_.is_compressed() ? std::nullopt : file_.byte_count();
  }

  // Whether the first line read ended in a carriage return, which is kept and belongs to the key:
  // most likely a mistake that somebody should be told of.
  bool first_line_ended_in_cr() const noexcept { return first_line_ended_in_cr_; }

  // Whether the text read began with a byte order mark, which is no part of the first line.
  bool had_byte_order_mark() const noexcept { return had_byte_order_mark_; }

 private:
  bool is_plain() const noexcept {
    return options_.field == 0 && options_.encoding == KeyEncoding::text &&
           options_.normalise == Normalise::none;
  }
  std::size_t take_keys(std::span<const std::string_view> lines, std::string& problem);
  std::string_view field_of(std::string_view line);

  InputFile file_;
  SourceOptions options_;
  bool was_read_ = false;
  bool first_line_ended_in_cr_ = false;
  bool had_byte_order_mark_ = false;
  std::vector<Key> keys_;
  std::vector<char> decoded_;
  std::string unquoted_;    // room for a field of CSV
  std::string normalised_;  // and for a text
};

}  // namespace bloomery
