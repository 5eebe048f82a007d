// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "module/call.h"
#include "module/stored_filter.h"

namespace bloomery::module {

// Answers BLOOM.INFO. Reads at most 32 MiB of bits: what larger filters tell of themselves is
// computed from their counts, and says so.
void reply_bloom_info(const Call& call, const StoredFilter& filter);
// Identity, source and position, which take no time at all.
void reply_watermark(const Call& call, const FileNotes& notes);

}  // namespace bloomery::module
