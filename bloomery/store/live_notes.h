// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "bloomery/format/native/file_header.h"
#include "bloomery/place/watermark.h"
#include "bloomery/store/regular_file.h"

namespace bloomery {

// The notes of a live file that move while processes have it mapped: how far its source had been
// read into it, and where it stands among all that came into the filter that it is a copy of. One
// process writes them (SharedOptions::moves_notes), after the bits that they speak of; all others
// read them before they ask for bits. Whoever is killed while he writes leaves notes that nobody
// reads: the header's are older, and hold.
//
//    0 sequence 8: odd while the rest is written; 0: nothing was written
//    8 position of the watermark 8   16 its source 16, or zeros   32 beat 8
//   40 bytes of the chain 4          44 CRC32C of bytes 8 to 43 and the chain
//   48 chain (FileHeader::chain)
struct LiveNotes {
  std::optional<Watermark> reached{};
  std::uint64_t beat = 0;
  std::string chain{};  // a longer one than kMostLiveChain is left out
};

inline constexpr std::size_t kLiveNotesBytes = kBodyAlignment - kLiveNotesAt;
inline constexpr std::size_t kMostLiveChain = kLiveNotesBytes - 48;

// `at`: kLiveNotesBytes bytes of the mapped file, of which this process alone writes any.
void write_live_notes(std::byte* at, const LiveNotes& notes) noexcept;
// The sequence number as it is now. It only rises, unless somebody writes an older copy of the file
// over it.
std::uint64_t live_sequence(const std::byte* at) noexcept;

// The watermark in the mapped notes, and all of them; nothing where they say none, or somebody
// writes them all the while. Whatever is read after that has the bits.
std::optional<Watermark> live_watermark(const std::byte* at) noexcept;
std::optional<LiveNotes> live_notes(const std::byte* at);

// Puts the moving notes of an open live file, if it has any, in the place of the header's; not of a
// file that was live when the machine went down, whose bits may not have come to the disk.
void take_live_notes(FileHeader& header, const RegularFile& file);
void take_live_notes(FileHeader& header, const std::optional<LiveNotes>& notes);

}  // namespace bloomery
