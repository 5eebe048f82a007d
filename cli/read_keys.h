// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "bloomery/source/key_source.h"
#include "bloomery/source/progress.h"
#include "bloomery/source/source_options.h"

namespace bloomery::cli {

// Says so where the source finds rows by other spellings than their keys have.
void warn_of_unequal_bytes(const KeySource& source);

// Reads a source in batches. While it does, a person at the terminal sees on standard error how far
// it has come; an empty label shows nothing. Says so where the keys end in carriage returns, and
// where `normalise` leaves URLs with two spellings. Throws as KeySource does.
SourceTotals read_keys(KeySource& source, const std::string& label, const Progress::Totals& totals,
                       const BatchConsumer& consumer, const Preparation& preparation = {},
                       Normalise normalise = Normalise::none);

// The keys that a command line names.
struct KeyInputs {
  std::vector<std::string> given{};  // keys themselves, read first
  std::vector<std::string> locations{};

  // Standard input is read if no keys and no locations are given.
  bool are_standard_input() const noexcept { return given.empty() && locations.empty(); }
};

// Reads each of the inputs in turn. Stops where the consumer does.
SourceTotals read_keys(const KeyInputs& inputs, const SourceOptions& options,
                       const std::string& label, const BatchConsumer& consumer,
                       const Preparation& preparation = {});

}  // namespace bloomery::cli
