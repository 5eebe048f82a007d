// SPDX-License-Identifier: Apache-2.0
#include "bloomery/os/file_lock.h"

#include <cerrno>
#include <optional>

#include "tests/os/scratch_file.h"

namespace bloomery::os {
namespace {

class FileLock : public ScratchFiles {
 protected:
  FileDescriptor open_one() const { return open_file(path(u8"f"), Access::read_write); }

  static bool is_refused(const FileDescriptor& file, LockSort sort) {
    errno = 0;
    return !try_lock(file.number(), sort) && errno == EWOULDBLOCK;
  }

  FileDescriptor first_ = put(path(u8"f"), "text");
  FileDescriptor second_ = open_one();
};

TEST_F(FileLock, KeepsAllOthersAway) {
  ASSERT_TRUE(try_lock(first_.number(), LockSort::exclusive));
  EXPECT_TRUE(is_refused(second_, LockSort::exclusive));
  EXPECT_TRUE(is_refused(second_, LockSort::shared));
  unlock(first_.number());
  EXPECT_TRUE(try_lock(second_.number(), LockSort::exclusive));
  EXPECT_TRUE(is_refused(first_, LockSort::shared));
}

TEST_F(FileLock, IsSharedByThoseWhoShare) {
  ASSERT_TRUE(try_lock(first_.number(), LockSort::shared));
  EXPECT_TRUE(try_lock(second_.number(), LockSort::shared));
  const FileDescriptor third = open_one();
  EXPECT_TRUE(is_refused(third, LockSort::exclusive));
  unlock(first_.number());
  EXPECT_TRUE(is_refused(third, LockSort::exclusive));
  unlock(second_.number());
  EXPECT_TRUE(try_lock(third.number(), LockSort::exclusive));
}

TEST_F(FileLock, IsHadByWhoMayOnlyRead) {
  const FileDescriptor reader = open_file(path(u8"f"), Access::read);
  ASSERT_TRUE(try_lock(reader.number(), LockSort::exclusive));
  EXPECT_TRUE(is_refused(second_, LockSort::shared));
}

TEST_F(FileLock, KeepsNobodyFromReadingAndWriting) {
  ASSERT_TRUE(try_lock(first_.number(), LockSort::exclusive));
  EXPECT_EQ(text_of(second_.number()), "text");
  const std::string_view more = "TEXTS";
  EXPECT_EQ(write_at(second_.number(), std::as_bytes(std::span(more)), 0), 5);
  EXPECT_EQ(text_of(first_.number()), "TEXTS");
}

TEST_F(FileLock, EndsWithTheOpenFile) {
  ASSERT_TRUE(try_lock(first_.number(), LockSort::exclusive));
  first_ = FileDescriptor();
  EXPECT_TRUE(try_lock(second_.number(), LockSort::exclusive));
}

}  // namespace
}  // namespace bloomery::os
