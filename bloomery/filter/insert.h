// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace bloomery {

// What became of a key that was inserted into a filter which may be full.
enum class Insert : std::uint8_t { present, added, full };

// How far a batch of inserts came: every key before `done` is in, and `added` of them were new.
struct InsertProgress {
  std::size_t done = 0;
  std::size_t added = 0;
};

// What an erase found, of a counting filter: nothing, and nothing changed; one insert of the key,
// which is taken out; or more than can be counted, at the limit of 15: the key stays for ever.
enum class Erase : std::uint8_t { absent, erased, saturated };

}  // namespace bloomery
