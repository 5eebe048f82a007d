// SPDX-License-Identifier: Apache-2.0
#include "bloomery/format/native/file_part.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "bloomery/bits/byte_order.h"
#include "bloomery/errors.h"
#include "bloomery/filter/filter_kinds.h"
#include "bloomery/format/native/file_header.h"
#include "bloomery/format/native/typed_fields.h"

namespace bloomery {
namespace {

TEST(FilePart, EachLineIsInOnePartAndPartsDifferByALineAtMost) {
  for (const std::uint64_t lines : {2U, 3U, 64U, 65U, 1000U}) {
    for (const std::uint32_t count : {2U, 3U, 7U, 64U}) {
      if (lines < count) continue;
      std::uint64_t at = 0;
      for (std::uint32_t i = 0; i < count; ++i) {
        const FilePart part{i, count, lines * kLineBits};
        EXPECT_EQ(part.bit_begin(), at);
        EXPECT_GE(part.body_bits() / kLineBits, lines / count);
        EXPECT_LE(part.body_bits() / kLineBits, lines / count + 1);
        for (; at < part.bit_end(); at += kLineBits / 2) ASSERT_EQ(part.part_of(at), i) << at;
      }
      EXPECT_EQ(at, lines * kLineBits);
      const FilePart index{count, count, lines * kLineBits};
      EXPECT_TRUE(index.is_index());
      EXPECT_EQ(index.body_bits(), 0U);
    }
  }
  // No product overflows.
  const std::uint64_t most = (std::uint64_t{1} << 60) / kLineBits * kLineBits;
  EXPECT_EQ((FilePart{0, kMostParts, most}).part_of(most - 1), kMostParts - 1);
}

FileHeader head_of_part(std::uint32_t index, std::uint32_t count) {
  const AnyFilter filter =
      make_filter(FilterKind::blocked, {.capacity = 1000, .false_positive_rate = 0.001});
  FileHeader header;
  header.contents = filter.contents();
  header.part = {index, count, filter.geometry().bit_count};
  return header;
}

FileHeader decoded(const FileHeader& header, Parts parts) {
  const auto bytes = encode_head(header);
  const auto layout = FileLayout::of(0, header.part->body_bits());
  return decode_head(bytes, bytes.size() + layout.body_bytes + layout.table_bytes, parts);
}

TEST(FilePart, IsReadByWhoKnowsPartsAndTakenForTheFilterByNobody) {
  for (const std::uint32_t index : {0U, 2U, 4U}) {
    const FileHeader header = head_of_part(index, 4);
    const FileHeader read = decoded(header, Parts::taken);
    EXPECT_EQ(read.part, header.part);
    EXPECT_EQ(read.contents.parameters.geometry, header.contents.parameters.geometry);
    EXPECT_EQ(read.layout.body_bytes, header.part->body_bits() / 8);
    EXPECT_THROW(decoded(header, Parts::refused), FormatError);
  }
}

TEST(FilePart, ImpossibleOnesAreRefused) {
  const std::uint64_t bits = head_of_part(0, 4).part->bit_count;
  for (const FilePart part : {FilePart{0, 1, bits}, FilePart{5, 4, bits},
                              FilePart{0, 20'000, 1 << 30}, FilePart{0, 4, 3 * kLineBits}}) {
    const std::array fields{std::byte{10}, std::byte{0}, std::byte{16}, std::byte{0}};
    std::vector<std::byte> bytes(fields.begin(), fields.end());
    bytes.resize(24);
    put_number(bytes, 4, part.index);
    put_number(bytes, 8, part.count);
    put_number(bytes, 12, part.bit_count);
    EXPECT_THROW(decode_fields(bytes, 64), FormatError);
  }
  // The body is not as long as the part's.
  FileHeader header = head_of_part(1, 4);
  const auto bytes = encode_head(header);
  EXPECT_THROW(decode_head(bytes, bytes.size(), Parts::taken), FormatError);
  // A classic filter has no lines.
  header.contents = make_filter(FilterKind::classic, {.capacity = 1000}).contents();
  const auto classic = encode_head(header);
  EXPECT_THROW(
      decode_head(classic, classic.size() + header.part->body_bits() / 8 + 4, Parts::taken),
      FormatError);
}

}  // namespace
}  // namespace bloomery
