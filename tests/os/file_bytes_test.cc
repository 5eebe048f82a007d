// SPDX-License-Identifier: Apache-2.0
#include "bloomery/os/file_bytes.h"

#include "bloomery/os/file_status.h"
#include "tests/os/scratch_file.h"

namespace bloomery::os {
namespace {

using FileBytes = ScratchFiles;

TEST_F(FileBytes, AreWrittenAndReadAsTheyAre) {
  const std::string text(
      "a\r\nb\nc\x1a"
      "d\0e",
      10);
  const FileDescriptor file = put(path(u8"f"), text);
  EXPECT_EQ(text_of(file.number()), text);
  EXPECT_EQ(status_of(file.number())->size, text.size());
  EXPECT_EQ(text_at(path(u8"f")), text);
}

TEST_F(FileBytes, AreReadFromAnyPlace) {
  const FileDescriptor file = put(path(u8"f"), "0123456789");
  EXPECT_EQ(text_of(file.number(), 7), "789");
  EXPECT_EQ(text_of(file.number(), 10), "");
  EXPECT_EQ(text_of(file.number(), std::uint64_t{1} << 40), "");
}

TEST_F(FileBytes, AreWrittenBehindFourGigabytes) {
  constexpr std::uint64_t kFar = (std::uint64_t{5} << 30) + 3;
  const FileDescriptor file = put(path(u8"f"), "near");
  const std::string_view far = "far";
  ASSERT_EQ(write_at(file.number(), std::as_bytes(std::span(far)), kFar), 3);
  EXPECT_EQ(status_of(file.number())->size, kFar + 3);
  EXPECT_EQ(text_of(file.number(), kFar), "far");
  EXPECT_EQ(text_of(file.number()).substr(0, 4), "near");
  EXPECT_EQ(text_of(file.number(), kFar & 0xffff'ffff).substr(0, 3), std::string(3, '\0'));
}

TEST_F(FileBytes, AreSyncedAndEmptied) {
  const FileDescriptor file = put(path(u8"f"), "text");
  EXPECT_TRUE(sync(file.number()));
  EXPECT_EQ(allocate(file.number(), 4), 0);
  EXPECT_TRUE(empty(file.number()));
  EXPECT_EQ(status_of(file.number())->size, 0U);
}

TEST_F(FileBytes, AreNotWrittenWithoutTheRight) {
  put(path(u8"f"), "text");
  const FileDescriptor file = open_file(path(u8"f"), Access::read);
  const std::string_view more = "more";
  EXPECT_EQ(write_at(file.number(), std::as_bytes(std::span(more)), 0), -1);
  EXPECT_NE(errno, 0);
  EXPECT_EQ(text_of(file.number()), "text");
}

}  // namespace
}  // namespace bloomery::os
