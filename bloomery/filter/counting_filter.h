// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bloomery/bits/heap_words.h"
#include "bloomery/filter/basic_filter.h"
#include "bloomery/filter/blocked_layout.h"
#include "bloomery/filter/classic_layout.h"
#include "bloomery/filter/counting_layout.h"
#include "bloomery/filter/native_probes.h"

namespace bloomery {

// Filters that can erase, over four bits a position. A counter that reaches 15 stays there for
// ever: a key that was inserted 15 times or more, and not erased in between, can no longer be taken
// out, and erase() of it goes on to return true. CountingFilter keeps a key's counters within 256
// bytes, or twice that at low rates; ClassicCountingFilter has the fewest counters. Both turn into
// the plain filter of their geometry with plain().
using CountingFilter = BasicFilter<CountingLayout<BlockedLayout>, HeapWords>;
using ClassicCountingFilter = BasicFilter<CountingLayout<ClassicLayout<NativeProbes>>, HeapWords>;

}  // namespace bloomery
