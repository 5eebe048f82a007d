// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bloomery/bits/heap_words.h"
#include "bloomery/filter/basic_filter.h"
#include "bloomery/filter/windowed_layout.h"

namespace bloomery {

// "Seen within the last W?", W being an hour, a day, or the last so many inserts:
//
//   WindowedFilter seen({.capacity = 10'000'000, .window = {.length_ms = 24 * 3600 * 1000}});
//   if (seen.insert(url)) { /* not seen for a day */ }
//
// A key is found for at least W after its last insert, and for less than W (1 + 1/G), G being
// window.generations; after that it is as absent as any other. `capacity` is the keys that come
// within W, repeats included, at an even pace, that is at most capacity / G within any W / G.
// Without a length it is W itself, and then no pace can break the rate, which is that of all
// generations together.
//
// The rate of a window of time is no promise for bursts. No key is lost by one, but `capacity` keys
// within one generation make 1 % to 38 % (at G = 4; 76 % at 7) until they are forgotten;
// predicted_rate() says how it is. Who must keep the rate then makes capacity G times the most keys
// of any W / G.
//
// Forgetting costs no time of its own and no thread: an insert never clears more than the
// neighbourhood of its key, 4 KiB, or twice that at low rates. At 1 % a key of the window takes
// 18.4 bits, where a BlockedFilter has 10.1, and a call reads three adjacent lines (at G = 4).
//
// Time is that of steady_wall.h: the system's clock may be set while a process runs. Where the
// clock of another process, or one of the caller's own, goes back, no key is lost: time stands
// still while it is three generations or less, and goes on from where it was when it is more. One
// that leaps ahead says that time has passed, and keys are forgotten early: also one that is set
// right after it went back, by four generations at most where it had gone back by more than three
// (docs/soundness_cases.md says it all).
//
// Filters of a window of time merge, each generation with the one of its age; those of a window of
// keys do not.
//
// insert() is true for a key that is not found, and every insert counts anew. inserted() are those
// that were true, since the filter was made; cardinality(), fill_ratio() and predicted_rate() are
// of the keys within the window.
using WindowedFilter = BasicFilter<WindowedLayout, HeapWords>;

}  // namespace bloomery
