// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bloomery/filter/filter_contents.h"
#include "bloomery/format/native/file_live.h"
#include "bloomery/format/native/file_notes.h"
#include "bloomery/format/native/file_part.h"
#include "bloomery/hash/secret_key.h"

namespace bloomery {

// Parameters of a windowed filter for which the header has no place.
struct WindowField {
  std::uint64_t length_ms = 0;
  std::uint32_t generations = 0;
  std::uint64_t bit_count = 0;
};

// Parameters of another system's scheme.
struct ForeignField {
  std::uint64_t bit_count = 0;  // which need not be whole words
  std::uint32_t options = 0;
  std::string data;  // that its format carries along
};

// The optional fields that follow a file's header, one after the other, tags rising:
//
//   +--------+---------------+-------------------+---------------------------+
//   | tag 2B | byte count 2B | value, byte count | zeros up to a multiple of |
//   |        |               | bytes             | 8 bytes from the tag      |
//   +--------+---------------+-------------------+---------------------------+
//   tag 1 secret key, 32 bytes   tag 2 watermark, 8 bytes   tag 3 note, 1 to 32768 bytes
//   tag 4 growth and layers, 16 + 40 bytes a layer
//   tag 5 window, 24 bytes: length in ms 8, generations 4, zeros 4, bits of a generation 8
//   tag 6 foreign scheme, 16 to 32768 bytes: bits 8, options 4, zeros 4, what its format carries
//   tag 7 keys, 4 bytes: encoding 1, normalisation 1, zeros 2; not there where nobody has said
//   tag 8 identity, 16 bytes: high 8, low 8
//   tag 9 source of the watermark, 24 bytes: its identity 16 or zeros, beat 8
//   tag 10 part of a filter, 16 bytes: which 4, of how many 4, bits of the whole filter 8
//   tag 11 live on a machine, 24 bytes: which start of it 16, where the count begins 8
//   tag 12 notes that move, of a live file, 8 bytes: where they are (kLiveNotesAt)
//   tag 0x8000 place among what came, 1 to 32768 bytes (FileHeader::chain)
//
// A reader that does not know a tag refuses the file, or skips the field if the tag is 0x8000 or
// more.
struct TypedFields {
  std::optional<SecretKey> secret;
  std::uint64_t watermark = 0;
  std::string note;
  Growth growth;              // where there are layers
  std::vector<Layer> layers;  // of a scalable filter
  std::optional<WindowField> window;
  std::optional<ForeignField> foreign;
  std::optional<KeyForm> keys;  // nothing: nobody has said how they are written
  Identity identity;
  Identity source;
  std::uint64_t beat = 0;
  std::optional<FilePart> part;
  std::optional<FileLive> live{};
  std::string chain{};
};

// Throws std::invalid_argument for a note, or a place among what came, that is too long.
std::vector<std::byte> encode_fields(const TypedFields& fields);

// Throws FormatError with offsets counted from `file_offset`.
TypedFields decode_fields(std::span<const std::byte> bytes, std::uint64_t file_offset);

}  // namespace bloomery
