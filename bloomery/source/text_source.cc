#include "bloomery/source/text_source.h"

#include <stdexcept>
#include <utility>

#include "bloomery/source/count_records.h"
#include "bloomery/source/csv_field.h"
#include "bloomery/source/normalise.h"
#include "bloomery/source/printable.h"
#include "bloomery/source/record_reader.h"

namespace bloomery {

TextSource::TextSource(InputFile file, SourceOptions options)
    : file_(std::move(file)), options_(std::move(options)) {
  if (options_.field > 0 && options_.delimiter.empty()) {
    throw std::invalid_argument("the delimiter of fields is empty; allowed: one byte or more");
  }
  if (options_.csv && options_.field == 0) {
    throw std::invalid_argument("which field of the comma-separated values is the key? From 1");
  }
}

SourceTotals TextSource::for_each_batch(const BatchConsumer& consumer) {
  if (std::exchange(was_read_, true)) file_.restart();
  RecordReader reader(
      file_, options_.separator, options_.record_byte_limit,
      options_.csv ? RecordReader::Quotes::hold_separators : RecordReader::Quotes::mean_nothing);
  SourceTotals totals;
  std::uint64_t heading_count = 0;
  bool is_first_batch = true;
  for (auto lines = reader.next(); !lines.empty(); lines = reader.next()) {
    if (std::exchange(is_first_batch, false)) {
      const bool keeps_blanks =
          !options_.csv && !has(options_.normalise, Normalise::trim | Normalise::integer);
      first_line_ended_in_cr_ = keeps_blanks && lines[0].ends_with('\r');
      had_byte_order_mark_ = reader.had_byte_order_mark();
      heading_count = options_.skip_header ? 1 : 0;
      lines = lines.subspan(heading_count);
    }
    const std::uint64_t first_record = heading_count + totals.key_count + 1;

    std::string problem;
    const std::size_t count = is_plain() ? lines.size() : take_keys(lines, problem);
    const std::span<const Key> keys = is_plain() ? lines : std::span<const Key>(keys_);
    totals.key_count += count;
    totals.byte_count = reader.byte_count();
    const bool more = count == 0 || consumer({.keys = keys.first(count),
                                              .lines = lines.first(count),
                                              .first_record = first_record,
                                              .byte_count = totals.byte_count});
    if (!more) break;
    if (!problem.empty()) {
      throw std::invalid_argument(file_.name() + ":" + std::to_string(first_record + count) + ": " +
                                  problem);
    }
  }
  return totals;
}

std::optional<std::uint64_t> TextSource::expected_count() {
  if (!file_.is_regular()) return std::nullopt;
  const std::uint64_t count = count_records(file_, options_.separator);
  return count - (options_.skip_header && count > 0 ? 1 : 0);
}

// Fills keys_ from the lines, up to the first that spells none; returns how many and, if not all,
// why.
std::size_t TextSource::take_keys(std::span<const std::string_view> lines, std::string& problem) {
  keys_.clear();
  // Room for all before the first is decoded, because the keys point there.
  const bool copies = options_.encoding != KeyEncoding::text ||
                      options_.normalise != Normalise::none || options_.csv;
  std::size_t byte_limit = 0;
  for (const std::string_view line : lines) {
    byte_limit += decoded_byte_limit(options_.encoding,
                                     normalised_byte_limit(options_.normalise, line.size()));
  }
  if (copies && decoded_.size() < byte_limit) decoded_.resize(byte_limit);

  char* out = decoded_.data();
  try {
    for (const std::string_view line : lines) {
      const std::string_view field = options_.field == 0 ? line : field_of(line);
      if (!copies) {
        keys_.push_back(field);
        continue;
      }
      const std::string_view text = normalised(options_.normalise, field, normalised_);
      const std::size_t length = decode_key(options_.encoding, text, out);
      keys_.emplace_back(out, length);
      out += length;
    }
  } catch (const std::invalid_argument& wrong) {
    problem = wrong.what();
  }
  return keys_.size();
}

std::string_view TextSource::field_of(std::string_view line) {
  if (options_.csv) return csv_field(line, options_.delimiter, options_.field, unquoted_);
  std::string_view rest = line;
  for (std::uint32_t field = 1;; ++field) {
    const std::size_t stop = rest.find(options_.delimiter);
    if (field == options_.field) return rest.substr(0, stop);
    if (stop == std::string_view::npos) {
      throw std::invalid_argument(
          printable(line) + " has no field " + std::to_string(options_.field) + ", only " +
          std::to_string(field) + " (between " + printable(options_.delimiter) + ")");
    }
    rest.remove_prefix(stop + options_.delimiter.size());
  }
}

}  // namespace bloomery
