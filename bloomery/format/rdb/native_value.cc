// SPDX-License-Identifier: Apache-2.0
#include "bloomery/format/rdb/native_value.h"

#include <algorithm>
#include <string>
#include <vector>

#include "bloomery/errors.h"
#include "bloomery/format/native/file_layout.h"
#include "bloomery/format/native/native_reader.h"
#include "bloomery/text/grouped.h"

namespace bloomery::rdb {
namespace {

constexpr std::uint32_t kNativeValueVersion = 1;
constexpr const char* kPiecesField = "pieces of a filter";

void require_native_type(const ModuleKey& key) {
  if (kind_of_value(key.type.name).holds != Holds::native) {
    throw FormatError("the key \"" + key.key + "\" is of type " + key.type.name +
                      ", which is none of bloomery.so's whole filters");
  }
  if (key.type.encoding_version != kNativeValueVersion) {
    throw FormatError("the key \"" + key.key + "\" has a filter of version " +
                      std::to_string(key.type.encoding_version) + ", where " +
                      std::to_string(kNativeValueVersion) + " is known");
  }
}

// Calls take(reader, size) at each string, and so finds how many bytes the value says it has, and
// that these are there.
template <class Take>
std::uint64_t walk_pieces(std::span<const std::byte> bytes, const ModuleKey& key, Take take) {
  require_native_type(key);
  RdbCursor cursor = cursor_at(bytes, key);
  ModuleReader reader(cursor);
  const std::uint64_t byte_count = reader.number("bytes of a filter");
  for (std::uint64_t taken = 0; taken < byte_count;) {
    const std::size_t at = cursor.offset();
    const std::uint64_t size = reader.string(kPiecesField);
    if (size == 0 || size > byte_count - taken) {
      cursor.refuse(at, kPiecesField,
                    grouped(size) + " bytes more, where " + grouped(byte_count - taken) + " of " +
                        grouped(byte_count) + " are missing");
    }
    take(reader, size);
    taken += size;
  }
  reader.expect_end();
  return byte_count;
}

void append_piece(ModuleReader& reader, std::uint64_t size, std::vector<std::byte>& to) {
  const std::size_t old = to.size();
  to.resize(old + size);
  reader.copy(std::span(to).subspan(old));
}

}  // namespace

FileHeader describe_native(std::span<const std::byte> bytes, const ModuleKey& key) {
  std::vector<std::byte> head;
  const std::uint64_t byte_count =
      walk_pieces(bytes, key, [&](ModuleReader& reader, std::uint64_t size) {
        if (head.size() < kMaxHeadBytes) append_piece(reader, size, head);
      });
  head.resize(std::min<std::uint64_t>(head.size(), std::min(byte_count, kMaxHeadBytes)));
  return decode_head(head, byte_count);
}

NativeValue extract_native(std::span<const std::byte> bytes, const ModuleKey& key) {
  const FileHeader header = describe_native(bytes, key);  // all bytes are there, or it throws
  NativeReader whole(header.layout.file_bytes);
  std::vector<std::byte> piece;
  walk_pieces(bytes, key, [&](ModuleReader& reader, std::uint64_t size) {
    piece.clear();
    append_piece(reader, size, piece);
    whole.take(piece);
  });
  return {whole.finish(), header.notes};
}

}  // namespace bloomery::rdb
