// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "bloomery/format/native/file_notes.h"
#include "bloomery/place/filter_place.h"

// The trailer of another system's bitmap says what the bitmap cannot, in the same string behind its
// last bit: who it is, and how far it has its source. Systems that address bits below m neither see
// nor change it. A bitmap that is deleted, evicted or written anew loses it; an older copy of the
// bitmap has an older one.
//
//   0 "BLMYTRL1"   8 m 8B   16 k 4B   20 kind 1B, encoding 1B and normalisation 1B of keys, zero 1B
//  24 identity 16B   40 identity of the source 16B   56 position 8B   64 beat 8B
//  72 zeros 4B   76 CRC-32C of the bytes before 4B              numbers are little-endian
namespace bloomery::redis {

inline constexpr std::size_t kTrailerBytes = 80;

struct Trailer {
  FileNotes notes{};  // identity, watermark and beat
  KeyForm keys{};     // how the keys in it were written

  PlaceHead place_head(const FilterParameters& parameters) const;
};

// Returns where the trailer begins: behind the byte of the last bit.
std::uint64_t trailer_offset(const FilterParameters& parameters) noexcept;
std::string trailer_bytes(const Trailer& trailer, const FilterParameters& parameters);
// Reads a trailer; nothing for bytes that are none, are damaged, or belong to a bitmap of other
// parameters.
std::optional<Trailer> read_trailer(std::string_view bytes, const FilterParameters& parameters);
// Returns whether the bytes are a whole trailer of any bitmap whose bits end at `offset`.
bool is_trailer_at(std::string_view bytes, std::uint64_t offset);
// Returns whether the bytes were a trailer of a bitmap whose bits end at `offset`, before somebody
// wrote into it, as a client does whose bitmap has more bits.
bool was_trailer_at(std::string_view bytes, std::uint64_t offset);

}  // namespace bloomery::redis
