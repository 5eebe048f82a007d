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
// it has come; an empty label shows nothing. Says so where the keys end in carriage returns. Throws
// as KeySource does.
SourceTotals read_keys(KeySource& source, const std::string& label, const Progress::Totals& totals,
                       const BatchConsumer& consumer, const Preparation& preparation = {});

// The same for each location in turn; none at all means standard input. Stops where the consumer
// does.
SourceTotals read_keys(const std::vector<std::string>& locations, const SourceOptions& options,
                       const std::string& label, const BatchConsumer& consumer,
                       const Preparation& preparation = {});

}  // namespace bloomery::cli
