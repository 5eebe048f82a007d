// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "bloomery/source/key_source.h"
#include "bloomery/source/source_options.h"
#include "cli/command_line.h"

namespace bloomery::cli {

// -e KEY, as often as there are keys. `keys` is filled when the command line was parsed.
Option add_given_keys(Command command, std::vector<std::string>& keys);

// Returns whether a location names a file of keys that is not there: perhaps it is a key.
bool is_missing_text(const std::string& location);

// Keys that the command line gives, each whole: fields and headers are of texts.
class GivenKeySource final : public KeySource {
 public:
  // `keys` outlives this.
  GivenKeySource(const std::vector<std::string>& keys, const SourceOptions& options);

  // Throws std::invalid_argument for one that spells no key.
  SourceTotals for_each_batch(const BatchConsumer& consumer) override;
  std::optional<std::uint64_t> expected_count() override { return keys_.size(); }
  std::optional<std::uint64_t> expected_byte_count() override { return std::nullopt; }

 private:
  const std::vector<std::string>& keys_;
  SourceOptions options_;
};

}  // namespace bloomery::cli
