// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace bloomery {

// Insert: what became of a key that was inserted into a filter which may be full.
enum class Insert : std::uint8_t { present, added, full };

// How far a batch of inserts came: every key before `done` is in, and `added` of them were new.
struct InsertProgress {
  std::size_t done = 0;
  std::size_t added = 0;
};

// Erase: what an erase from a counting filter found. absent: nothing, and nothing changed. erased:
// one insert of the key, which is taken out. saturated: more inserts than can be counted, at the
// limit of 15: the key stays for ever.
enum class Erase : std::uint8_t { absent, erased, saturated };

}  // namespace bloomery
