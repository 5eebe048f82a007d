// SPDX-License-Identifier: Apache-2.0
#include "cli/given_keys.h"

#include <filesystem>
#include <stdexcept>
#include <string_view>

#include "bloomery/source/record_keys.h"
#include "bloomery/source/source_location.h"

namespace bloomery::cli {

Option add_given_keys(Command command, std::vector<std::string>& keys) {
  return command
      .add_repeated("-e,--key", keys,
                    "a key itself; may be given several times; read before INPUT, and in place of "
                    "standard input")
      .type_name("KEY");
}

bool is_missing_text(const std::string& location) {
  const SourceLocation parsed = parse_source_location(location);
  std::error_code unknown;
  return parsed.kind == SourceLocation::Kind::text &&
         std::filesystem::status(parsed.path, unknown).type() ==
             std::filesystem::file_type::not_found;
}

GivenKeySource::GivenKeySource(const std::vector<std::string>& keys, const SourceOptions& options)
    : keys_(keys), options_(options) {
  options_.field = 0;
  options_.csv = false;
}

SourceTotals GivenKeySource::for_each_batch(const BatchConsumer& consumer) {
  const std::vector<std::string_view> records(keys_.begin(), keys_.end());
  RecordKeys taken;
  const std::span<const Key> keys = taken.take(records, options_);
  if (!taken.problem().empty()) throw std::invalid_argument("-e: " + taken.problem());
  SourceTotals totals;
  totals.key_count = keys.size();
  for (const std::string& key : keys_) totals.byte_count += key.size();
  consumer({.keys = keys, .lines = records, .first_record = 1, .byte_count = totals.byte_count});
  return totals;
}

}  // namespace bloomery::cli
