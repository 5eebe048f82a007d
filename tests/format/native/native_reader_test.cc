// SPDX-License-Identifier: Apache-2.0
#include "bloomery/format/native/native_reader.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "bloomery/errors.h"
#include "bloomery/filter/filter_kinds.h"
#include "bloomery/format/native/write_native.h"

namespace bloomery {
namespace {

using Bytes = std::vector<std::byte>;

AnyFilter filled(FilterKind kind) {
  AnyFilter filter = make_filter(kind, {.capacity = 100'000, .false_positive_rate = 0.01});
  for (int i = 0; i < 20'000; ++i) filter.insert(std::to_string(i));
  return filter;
}

Bytes bytes_of(const AnyFilter& filter) {
  Bytes all;
  const FilterContents contents = filter.contents();
  const NativeHead head(contents, {.note = "a note", .epoch = 7});
  write_native(head, contents,
               [&](auto piece) { all.insert(all.end(), piece.begin(), piece.end()); });
  EXPECT_EQ(all.size(), head.layout.file_bytes);
  return all;
}

AnyFilter read(std::span<const std::byte> bytes, std::size_t piece) {
  NativeReader reader(bytes.size());
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    reader.take(bytes.subspan(at, std::min(piece, bytes.size() - at)));
  }
  EXPECT_EQ(reader.header()->notes.epoch, 7U);
  return reader.finish();
}

// A kind whose positions were taken over 100,000 bits, and read over whole words, would find
// nothing.
TEST(NativeHead, RefusesAGeometryThatAFileCannotSay) {
  const AnyFilter filter = filled(FilterKind::classic);
  FilterContents contents = filter.contents();
  EXPECT_NO_THROW(NativeHead(contents, {}));
  contents.parameters.geometry.bit_count -= 32;
  EXPECT_THROW(NativeHead(contents, {}), std::invalid_argument);
}

TEST(NativeReader, TakesBytesHoweverTheyAreCut) {
  for (const FilterKind kind :
       {FilterKind::classic, FilterKind::scalable, FilterKind::windowed, FilterKind::counting}) {
    const AnyFilter filter = filled(kind);
    const Bytes bytes = bytes_of(filter);
    for (const std::size_t piece : {std::size_t{997}, std::size_t{65'536}, bytes.size()}) {
      EXPECT_EQ(bytes_of(read(bytes, piece)), bytes) << piece;
    }
  }
}

TEST(NativeReader, GivesBackWhatItTook) {
  const Bytes bytes = bytes_of(filled(FilterKind::blocked));
  for (const std::size_t taken : {std::size_t{0}, std::size_t{100}, std::size_t{5'000},
                                  std::size_t{70'000}, bytes.size() - 1, bytes.size()}) {
    NativeReader reader(bytes.size());
    reader.take(std::span(bytes).first(taken));
    Bytes given;
    reader.give([&](auto piece) { given.insert(given.end(), piece.begin(), piece.end()); });
    EXPECT_EQ(given, Bytes(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(taken)));
    // The reader continues from there.
    reader.take(std::span(bytes).subspan(taken));
    EXPECT_EQ(bytes_of(reader.finish()), bytes);
  }
}

TEST(NativeReader, FindsEveryBitThatIsWrong) {
  const Bytes bytes = bytes_of(filled(FilterKind::blocked));
  for (std::size_t at = 0; at < bytes.size(); at += at < 128 ? 1 : 1'013) {
    Bytes damaged = bytes;
    damaged[at] ^= std::byte{1};
    EXPECT_THROW(read(damaged, 10'000), FormatError) << at;
  }
}

TEST(NativeReader, WantsAllBytesAndNoMore) {
  const Bytes bytes = bytes_of(filled(FilterKind::blocked));
  NativeReader reader(bytes.size());
  EXPECT_THROW(reader.finish(), FormatError);
  reader.take(std::span(bytes).first(bytes.size() - 1));
  EXPECT_THROW(reader.finish(), FormatError);
  EXPECT_THROW(reader.take(bytes), FormatError);
  EXPECT_THROW(NativeReader(0), FormatError);
  EXPECT_THROW(read(std::span(bytes).first(bytes.size() - 4), 10'000), FormatError);
}

}  // namespace
}  // namespace bloomery
