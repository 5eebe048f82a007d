// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/filter/filter_contents.h"
#include "bloomery/format/native/file_layout.h"
#include "bloomery/format/native/file_live.h"
#include "bloomery/format/native/file_notes.h"
#include "bloomery/format/native/file_part.h"

namespace bloomery {

// The header and fields of a native file: all that stands before the body.
//
//    0 magic 8        8 version 1     9 flags 1     10 kind 1       11 hash id 1
//   12 probe count 1  13 lines a key 1              14 field bytes 2
//   16 seed 8        24 body bits 8  32 capacity 8  40 false positive rate, IEEE 754 double
//   48 inserted 8    56 epoch 4      60 CRC32C of bytes 0 to 59 and the fields
struct FileHeader {
  FilterContents contents;  // but no words
  FileNotes notes;
  bool open_for_writing = false;
  bool is_live = false;  // bits were set since the table was written, and not one was cleared
  // `has_keys_field`: whether the header that was read has a field that says how the keys are
  // written, or that this is unknown. A new header has no field for "unknown".
  bool has_keys_field = false;
  // The body has these lines alone; the contents are those of the whole filter.
  std::optional<FilePart> part{};
  // The machine that a live file lives on; empty for a filter in a server.
  std::optional<FileLive> live{};
  // The place of the bits among all that came into the filter that they are a copy of, as
  // DeltaSource::chain_at() wrote it; empty: none. No note: whoever writes the filter anew, earlier
  // versions too, leaves it out, and bits that are set in place make no key absent.
  std::string chain{};
  FileLayout layout;  // decode_head fills it; encode_head does not read it
};

// Parts: whether a part of a filter may be read. A reader that takes a part for the whole filter
// denies the keys of all other parts.
enum class Parts : bool { refused, taken };

// Why the bytes of a filter that lived in a server are no whole file.
inline constexpr std::string_view kLiveBody =
    "its bits are those of a filter in a server, which no checksum covers: bloomery convert "
    "bitmap:redis://... FILE takes it out whole, and bloomery insert --in-place --recover seals "
    "bytes that were taken out otherwise";

// Why the bytes of a filter that lives on a machine (FileLive) are no whole file.
inline constexpr std::string_view kSharedBody =
    "is live: processes of a machine insert into it, or died while they did, and no checksum "
    "covers "
    "its bits; open_shared or bloomery check ask it there, and bloomery seal makes it whole";

// The right one of the two, of a live file.
std::string_view why_not_whole(const FileHeader& header) noexcept;

// Header, fields and zeros: all bytes before the body. Throws std::invalid_argument for a note that
// is too long.
std::vector<std::byte> encode_head(const FileHeader& header);

// How many bytes of that are header and fields.
std::uint64_t head_end(const FileHeader& header);

// Returns whether encode_head would leave out what decode_head skipped: fields of a later program.
// A file that has any cannot be changed in place.
bool has_skipped_fields(const FileHeader& header);

// `head` has the first min(file_bytes, kMaxHeadBytes) bytes of a file of `file_bytes`. Checks
// everything that can be known without the body. Throws FormatError, naming place and reason.
FileHeader decode_head(std::span<const std::byte> head, std::uint64_t file_bytes,
                       Parts parts = Parts::refused);

}  // namespace bloomery
