// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/record_keys.h"

#include <cstddef>
#include <cstdint>
#include <stdexcept>

#include "bloomery/source/csv_field.h"
#include "bloomery/source/normalise.h"
#include "bloomery/text/printable.h"

namespace bloomery {

std::span<const Key> RecordKeys::take(std::span<const std::string_view> records,
                                      const SourceOptions& options) {
  problem_.clear();
  const bool copies =
      options.encoding != KeyEncoding::text || options.normalise != Normalise::none || options.csv;
  if (options.field == 0 && !copies) return records;
  keys_.clear();
  // Room for all before the first is decoded, because the keys point there.
  std::size_t byte_limit = 0;
  for (const std::string_view record : records) {
    byte_limit += decoded_byte_limit(options.encoding,
                                     normalised_byte_limit(options.normalise, record.size()));
  }
  if (copies && decoded_.size() < byte_limit) decoded_.resize(byte_limit);

  char* out = decoded_.data();
  try {
    for (const std::string_view record : records) {
      const std::string_view field = options.field == 0 ? record : field_of(record, options);
      if (!copies) {
        keys_.push_back(field);
        continue;
      }
      const std::string_view text = normalised(options.normalise, field, normalised_);
      const std::size_t length = decode_key(options.encoding, text, out);
      keys_.emplace_back(out, length);
      out += length;
    }
  } catch (const std::invalid_argument& wrong) {
    problem_ = wrong.what();
  }
  return keys_;
}

std::string_view RecordKeys::field_of(std::string_view record, const SourceOptions& options) {
  if (options.csv) return csv_field(record, options.delimiter, options.field, unquoted_);
  std::string_view rest = record;
  for (std::uint32_t field = 1;; ++field) {
    const std::size_t stop = rest.find(options.delimiter);
    if (field == options.field) return rest.substr(0, stop);
    if (stop == std::string_view::npos) {
      throw std::invalid_argument(
          printable(record) + " has no field " + std::to_string(options.field) + ", only " +
          std::to_string(field) + " (between " + printable(options.delimiter) + ")");
    }
    rest.remove_prefix(stop + options.delimiter.size());
  }
}

}  // namespace bloomery
