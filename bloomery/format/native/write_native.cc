// SPDX-License-Identifier: Apache-2.0
#include "bloomery/format/native/write_native.h"

#include <algorithm>
#include <span>
#include <stdexcept>
#include <string>

#include "bloomery/bits/bit_ops.h"
#include "bloomery/errors.h"
#include "bloomery/format/native/crc32c.h"
#include "bloomery/format/native/file_header.h"

namespace bloomery {
namespace {

constexpr std::size_t kPieceWords = 16 * kBlockWords;

}  // namespace

NativeHead::NativeHead(const FilterContents& contents, const FileNotes& notes,
                       const std::string& chain)
    : layout(FileLayout::of(0, contents.word_count() * kWordBits)) {
  FileHeader header;
  header.contents = contents;
  header.notes = notes;
  header.chain = chain;
  bytes = encode_head(header);
  // A file is written only if our own decoder reads it as the same bits.
  const auto refuse = [](const std::string& why) {
    throw std::invalid_argument("this filter cannot be saved: " + why);
  };
  try {
    header = decode_head(bytes, bytes.size() + layout.body_bytes + layout.table_bytes);
    layout = header.layout;
  } catch (const FormatError& error) {
    refuse(error.what());
  }
  const Geometry& geometry = contents.parameters.geometry;
  const Geometry& read = header.contents.parameters.geometry;
  if (contents.layers.empty() && geometry != read) {
    refuse("its geometry is of " + std::to_string(geometry.bit_count) +
           " bits, and the file would say " + std::to_string(read.bit_count));
  }
}

void write_native(const NativeHead& head, const FilterContents& contents, const ByteSink& sink) {
  sink(head.bytes);
  std::vector<std::uint32_t> table;
  std::vector<std::uint64_t> piece;
  piece.reserve(std::min<std::uint64_t>(contents.word_count(), kPieceWords));
  const auto write_piece = [&] {
    for (std::size_t at = 0; at < piece.size(); at += kBlockWords) {
      const auto block = std::span(piece).subspan(at, std::min(kBlockWords, piece.size() - at));
      table.push_back(crc32c(std::as_bytes(block)));
    }
    sink(std::as_bytes(std::span(piece)));
    piece.clear();
  };
  for (const auto& words : contents.words) {
    // The checksum must be that of the bytes that are written, whatever is inserted meanwhile.
    for (const std::uint64_t& word : words) {
      piece.push_back(load_word(&word));
      if (piece.size() == kPieceWords) write_piece();
    }
  }
  if (!piece.empty()) write_piece();
  sink(std::as_bytes(std::span(table)));
}

}  // namespace bloomery
