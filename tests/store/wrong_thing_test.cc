// SPDX-License-Identifier: Apache-2.0
// Things that are no files, and names that cannot be: each is refused by name, and waited for by
// nobody.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

#include "bloomery/errors.h"
#include "bloomery/format/native/crc32c.h"
#include "bloomery/store/body_io.h"
#include "bloomery/store/filter_editor.h"
#include "bloomery/store/mapped_filter.h"
#include "bloomery/store/native_file.h"
#include "tests/store/read_write.h"
#include "tests/store/sample_filters.h"
#include "tests/store/scratch_folder.h"

namespace bloomery {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::kReadWrite;
using testing::read_file;
using testing::sample;
using testing::ScratchFolder;
using ::testing::ThrowsMessage;
using testing::write_file;

class WrongThing : public ::testing::Test {
 protected:
  void expect_refused(const std::filesystem::path& path, const std::string& reason) {
    const auto refuses =
        ThrowsMessage<StoreError>(AllOf(HasSubstr(path.string()), HasSubstr(reason)));
    EXPECT_THAT([&] { load(path); }, refuses);
    EXPECT_THAT([&] { inspect(path); }, refuses);
    EXPECT_THAT([&] { open_mapped(path); }, refuses);
    EXPECT_THAT([&] { open_mapped(path, kReadWrite); }, refuses);
    EXPECT_THAT([&] { FilterEditor editor(path); }, refuses);
  }
  void expect_not_saved(const std::filesystem::path& path, const std::string& reason) {
    EXPECT_THAT([&] { save(sample(FilterKind::blocked, {.capacity = 5}), path); },
                ThrowsMessage<StoreError>(HasSubstr(reason)));
  }

  ScratchFolder folder_;
};

TEST_F(WrongThing, DirectoryIsNamed) {
  expect_refused(folder_.path(), "is a directory, not a file");
  expect_not_saved(folder_.path(), "is a directory, not a file");
}

TEST_F(WrongThing, PipeIsNamedAndNotWaitedFor) {
  ASSERT_EQ(mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  expect_refused(folder_ / "pipe", "is a pipe, not a file");
  expect_not_saved(folder_ / "pipe", "is a pipe, not a file");
}

TEST_F(WrongThing, SocketIsNamed) {
  const int listener = socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = (folder_ / "socket").string();
  ASSERT_LT(path.size(), sizeof address.sun_path);
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  ASSERT_EQ(bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  expect_refused(path, "is a socket, not a file");
  close(listener);
}

TEST_F(WrongThing, DeviceIsNamed) {
  expect_refused("/dev/zero", "is a device, not a file");
  expect_refused("/dev/full", "is a device, not a file");
  expect_not_saved("/dev/full", "is a device, not a file");
}

TEST_F(WrongThing, MissingFileIsNamed) {
  expect_refused(folder_ / "missing", "No such file or directory");
  expect_refused(folder_ / "no folder" / "f", "No such file or directory");
  expect_not_saved(folder_ / "no folder" / "f", "No such file or directory");
  expect_refused("", "No such file or directory");
  expect_not_saved("", "No such file or directory");
}

TEST_F(WrongThing, NamesThatCannotBeAreNamed) {
  const auto long_name = folder_ / std::string(300, 'x');
  expect_refused(long_name, "File name too long");
  expect_not_saved(long_name, "File name too long");
  const auto zero = folder_ / std::string("a\0b", 3);
  const auto refused =
      ThrowsMessage<StoreError>(AllOf(HasSubstr("a\\x00b"), HasSubstr("no zero byte")));
  EXPECT_THAT([&] { load(zero); }, refused);
  EXPECT_THAT([&] { save(sample(FilterKind::blocked, {.capacity = 5}), zero); }, refused);
}

TEST_F(WrongThing, LoopOfLinksIsNamed) {
  std::filesystem::create_symlink("b", folder_ / "a");
  std::filesystem::create_symlink("a", folder_ / "b");
  EXPECT_THAT([&] { load(folder_ / "a"); }, ThrowsMessage<StoreError>(HasSubstr("symbolic links")));
  expect_not_saved(folder_ / "a", "symbolic links");
}

TEST_F(WrongThing, PathThroughAFileIsNamed) {
  write_file(folder_ / "f", "x");
  expect_refused(folder_ / "f" / "g", "Not a directory");
  expect_not_saved(folder_ / "f" / "g", "Not a directory");
}

}  // namespace
}  // namespace bloomery
