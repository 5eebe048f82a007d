// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "bloomery/place/call_context.h"
#include "bloomery/place/delta_source.h"

namespace bloomery {

// A kept copy with all that came since, or why it has none of it.
struct CaughtUp {
  std::optional<DeltaSource::Whole> whole{};
  std::string why_not{};     // a sentence, where there is no `whole`
  std::uint64_t hashes = 0;  // that came
  std::uint64_t added = 0;   // keys among them that the copy did not have
};

// Brings a copy that a file kept up to the filter of the source. Without an unbroken chain from
// the copy's place to the filter as it is now there is no result, so that a file of another filter,
// or one from before a rebuild or a restored dump, says nothing. Throws CallAborted; whatever else
// fails is in `why_not`.
CaughtUp catch_up(DeltaSource& source, DeltaSource::Kept kept, const CallContext& context);

}  // namespace bloomery
