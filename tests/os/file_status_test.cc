// SPDX-License-Identifier: Apache-2.0
#include "bloomery/os/file_status.h"

#include <cerrno>

#include "bloomery/os/disk_space.h"
#include "bloomery/os/file_rights.h"
#include "tests/os/scratch_file.h"

namespace bloomery::os {
namespace {

using FileStatusOf = ScratchFiles;

TEST_F(FileStatusOf, AFileAndAFolder) {
  const FileDescriptor file = put(path(u8"f"), "text");
  const auto status = status_of(path(u8"f"));
  ASSERT_TRUE(status);
  EXPECT_EQ(status->sort, FileSort::file);
  EXPECT_EQ(status->size, 4U);
  EXPECT_EQ(status->link_count, 1U);
  EXPECT_EQ(status->identity, status_of(file.number())->identity);
  EXPECT_EQ(status_of(folder_)->sort, FileSort::folder);
  put(path(u8"g"), "text");
  EXPECT_NE(status_of(path(u8"g"))->identity, status->identity);
}

TEST_F(FileStatusOf, NoFile) {
  EXPECT_FALSE(status_of(path(u8"none")));
  EXPECT_EQ(errno, ENOENT);
  EXPECT_FALSE(open_file(path(u8"none"), Access::read).is_open());
  EXPECT_EQ(errno, ENOENT);
}

TEST_F(FileStatusOf, AFileOfItsOwnerAlone) {
  const FileDescriptor file = put(path(u8"f"), "secret", kOwnerOnly);
  EXPECT_EQ(status_of(file.number())->permissions, kOwnerOnly);
  const FileDescriptor other = put(path(u8"g"), "text");
  EXPECT_NE(status_of(other.number())->permissions, kOwnerOnly);
  EXPECT_EQ(set_permissions(other.number(), kOwnerOnly), 0);
  EXPECT_EQ(status_of(other.number())->permissions, kOwnerOnly);
  EXPECT_EQ(text_at(path(u8"f")), "secret") << "who is its owner";
}

TEST_F(FileStatusOf, AFolderWithRoom) {
  const FileDescriptor folder = open_folder(folder_);
  ASSERT_TRUE(folder.is_open()) << errno;
  EXPECT_EQ(may_create_in(folder.number()), 0);
  EXPECT_TRUE(sync(folder.number()) || errno == EINVAL);
  EXPECT_GT(free_bytes_in(folder_).value_or(0), 0U);
  EXPECT_FALSE(open_folder(path(u8"none")).is_open());
}

}  // namespace
}  // namespace bloomery::os
