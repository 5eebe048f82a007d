// SPDX-License-Identifier: Apache-2.0
#include "bloomery/format/native/file_live.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "bloomery/errors.h"
#include "bloomery/filter/filter_kinds.h"
#include "bloomery/format/native/file_header.h"

namespace bloomery {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

FileHeader live_head(FilterKind kind = FilterKind::blocked) {
  FileHeader header;
  header.contents = make_filter(kind, {.capacity = 1000}).contents();
  header.is_live = true;
  header.live = {{1, 2}, 3};
  return header;
}

FileHeader read_back(const FileHeader& header, Parts parts = Parts::refused) {
  const auto bytes = encode_head(header);
  const auto layout = FileLayout::of(0, 64 * header.contents.word_count());
  return decode_head(bytes, bytes.size() + layout.body_bytes + layout.table_bytes, parts);
}

TEST(FileLive, IsReadAsItWasWritten) {
  const FileHeader read = read_back(live_head());
  EXPECT_TRUE(read.is_live);
  EXPECT_EQ(read.live, (FileLive{{1, 2}, 3}));
  EXPECT_THAT(std::string(why_not_whole(read)), HasSubstr("open_shared"));
  EXPECT_EQ(read_back(live_head(FilterKind::classic)).live, read.live);
}

TEST(FileLive, IsRefusedWhereNoSuchFileIs) {
  FileHeader whole = live_head();
  whole.is_live = false;
  EXPECT_THAT([&] { read_back(whole); }, ThrowsMessage<FormatError>(HasSubstr("is not live")));
  const auto nowhere = ThrowsMessage<FormatError>(HasSubstr("where no filter does"));
  EXPECT_THAT([] { read_back(live_head(), Parts::taken); }, nowhere);
  EXPECT_THAT([] { read_back(live_head(FilterKind::counting)); }, nowhere);
  FileHeader long_head = live_head();
  long_head.notes.note = std::string(4096, 'x');
  EXPECT_THAT([&] { read_back(long_head); }, nowhere);
  FileHeader of_nowhere = live_head();
  of_nowhere.live->boot = {};
  EXPECT_THAT([&] { read_back(of_nowhere); }, ThrowsMessage<FormatError>(HasSubstr("zeros")));
}

TEST(FileLive, HasNotesThatMoveBehindItsFields) {
  FileHeader header = live_head();
  header.live->has_notes = true;
  EXPECT_TRUE(read_back(header).live->has_notes);
  EXPECT_FALSE(read_back(live_head()).live->has_notes);
  const auto layout = FileLayout::of(0, 64 * header.contents.word_count());
  for (const bool has_notes : {true, false}) {
    header.live->has_notes = has_notes;
    auto bytes = encode_head(header);
    bytes.back() = std::byte{1};
    const auto read = [&] {
      decode_head(bytes, bytes.size() + layout.body_bytes + layout.table_bytes);
    };
    if (has_notes) {
      EXPECT_NO_THROW(read());
      bytes[kLiveNotesAt - 1] = std::byte{1};
    }
    EXPECT_THAT(read, ThrowsMessage<FormatError>(HasSubstr("is not zero")));
  }
  header.live->has_notes = true;
  header.notes.note = std::string(kLiveNotesAt - kHeaderBytes, 'x');
  EXPECT_THAT([&] { read_back(header); }, ThrowsMessage<FormatError>(HasSubstr("field 12")));
}

// The count has four bytes where the table has one checksum, and otherwise eight; both wrap.
TEST(FileLive, CountsFromWhereverTheTableBegins) {
  const auto small = FileLayout::of(0, 1024);
  EXPECT_FALSE(has_wide_count(small));
  EXPECT_EQ(live_inserts(small, {{}, 0xfffffffe}, 3), 5U);
  EXPECT_EQ(live_inserts(small, {{}, 7}, 6), 1024U);
  const auto large = FileLayout::of(0, 3 * 8 * kBlockBytes);
  EXPECT_TRUE(has_wide_count(large));
  EXPECT_EQ(live_inserts(large, {{}, ~std::uint64_t{0} - 1}, 3), 5U);
}

}  // namespace
}  // namespace bloomery
