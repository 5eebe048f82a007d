// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bloomery/format/byte_ranges.h"
#include "module/call.h"

namespace bloomery::module {

// Steps of BLOOM.LOAD by which an append-only file says what half a filter has, and of a lost one
// why. Closed to all others: they make a filter say what it never was told.
//
//   HALF BF header n        of a dump's header, of which n links come by chunks
//   HALF CF header n [way]  ... n slots, and what their positions count (CuckooPositions)
//   FILL iterator data      bytes as they were, which have come or not
//   CAME first end          bytes that have come
//   LOST why
void require_replay(const Call& call);
// Refuses a chunk of a dump that would make too many ranges. Each range that has come takes memory,
// which no server counts, until what is between comes.
void require_few_ranges(const Call& call, const ByteRanges& loaded);
void half_begin(Call& call);
void half_fill(Call& call);
void half_came(Call& call);
void half_lost(Call& call);

}  // namespace bloomery::module
