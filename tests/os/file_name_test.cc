// SPDX-License-Identifier: Apache-2.0
#include "bloomery/os/file_name.h"

#include <cerrno>

#include "bloomery/os/file_lock.h"
#include "bloomery/os/file_status.h"
#include "tests/os/scratch_file.h"

namespace bloomery::os {
namespace {

using FileName = ScratchFiles;

TEST_F(FileName, IsGivenToANewFile) {
  const FileDescriptor file = put(path(u8"from"), "new");
  ASSERT_EQ(rename_to_new(file.number(), path(u8"from"), path(u8"to")), 0);
  EXPECT_EQ(text_at(path(u8"to")), "new");
  EXPECT_EQ(status_of(path(u8"to"))->identity, status_of(file.number())->identity);
  EXPECT_EQ(name_count(), 1U);
}

TEST_F(FileName, IsNotTakenAway) {
  put(path(u8"to"), "old");
  const FileDescriptor file = put(path(u8"from"), "new");
  EXPECT_EQ(rename_to_new(file.number(), path(u8"from"), path(u8"to")), EEXIST);
  EXPECT_EQ(text_at(path(u8"to")), "old");
  EXPECT_EQ(text_at(path(u8"from")), "new");
}

// The two files are locked, as replacing a filter leaves them.
TEST_F(FileName, GoesFromAnOpenFileToAnother) {
  for (int i = 0; i < 3; ++i) {
    const FileDescriptor old = put(path(u8"to"), "old");
    ASSERT_TRUE(try_lock(old.number(), LockSort::exclusive));
    const FileDescriptor file = put(path(u8"from"), "new");
    ASSERT_TRUE(try_lock(file.number(), LockSort::exclusive));
    ASSERT_EQ(rename_over(file.number(), path(u8"from"), path(u8"to"), old.number()), 0);
    EXPECT_EQ(text_at(path(u8"to")), "new");
    EXPECT_EQ(status_of(path(u8"to"))->identity, status_of(file.number())->identity);
    EXPECT_EQ(name_count(), 1U);
    const FileDescriptor other = open_file(path(u8"to"), Access::read_write);
    EXPECT_FALSE(try_lock(other.number(), LockSort::exclusive)) << "the new one is locked";
  }
}

TEST_F(FileName, StaysWhereTheNewOneIsInNoFolder) {
  const FileDescriptor old = put(path(u8"to"), "old");
  const FileDescriptor file = put(path(u8"from"), "new");
  const auto nowhere = path(u8"no folder") / "to";
  EXPECT_NE(rename_over(file.number(), path(u8"from"), nowhere, old.number()), 0);
  EXPECT_NE(rename_to_new(file.number(), path(u8"from"), nowhere), 0);
  EXPECT_EQ(text_at(path(u8"to")), "old");
  EXPECT_EQ(text_at(path(u8"from")), "new");
}

TEST_F(FileName, IsNoLink) {
  put(path(u8"f"), "text");
  std::error_code not_a_link;
  link_target(path(u8"f"), not_a_link);
  EXPECT_TRUE(not_a_link);
  link_target(path(u8"none"), not_a_link);
  EXPECT_TRUE(not_a_link);
}

}  // namespace
}  // namespace bloomery::os
