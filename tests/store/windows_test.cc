// SPDX-License-Identifier: Apache-2.0
// What Windows does not have is refused by name, and leaves the file as it is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bloomery/errors.h"
#include "bloomery/os/file_status.h"
#include "bloomery/store/mapped_filter.h"
#include "bloomery/store/native_file.h"
#include "bloomery/store/regular_file.h"
#include "bloomery/store/shared_filter.h"
#include "tests/store/read_write.h"
#include "tests/store/sample_filters.h"
#include "tests/store/scratch_folder.h"

namespace bloomery {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::read_file;
using testing::sample;
using ::testing::ThrowsMessage;

class OnWindows : public ::testing::Test {
 protected:
  OnWindows() { save(sample(FilterKind::blocked, {.capacity = 500}), file_); }

  testing::ScratchFolder folder_;
  std::filesystem::path file_ = folder_ / "f";
};

TEST_F(OnWindows, LostPagesAreRefused) {
  const std::string before = read_file(file_);
  for (const auto access : {MapOptions::read_only, MapOptions::read_write}) {
    EXPECT_THAT([&] { open_mapped(file_, {.access = access}); },
                ThrowsMessage<StoreError>(AllOf(HasSubstr(file_.string() + ": "),
                                                HasSubstr("not replaced on Windows"),
                                                HasSubstr("survive_truncation = false"))));
  }
  EXPECT_EQ(read_file(file_), before);
  EXPECT_FALSE(open_mapped(file_, testing::kReadOnly).survives_truncation());
}

TEST_F(OnWindows, SharedFilesAreRefused) {
  const std::string before = read_file(file_);
  const auto refused = ThrowsMessage<StoreError>(HasSubstr("not supported on Windows"));
  EXPECT_THAT([&] { open_shared(file_); }, refused);
  EXPECT_THAT([&] { open_shared(file_, {.access = SharedOptions::read_only}); }, refused);
  EXPECT_EQ(read_file(file_), before);
}

TEST_F(OnWindows, AFileThatIsMappedIsCutByNobody) {
  const MappedFilter mapped = open_mapped(file_, testing::kReadOnly);
  std::error_code refused;
  std::filesystem::resize_file(file_, 0, refused);
  EXPECT_TRUE(refused);
  EXPECT_TRUE(mapped.may_contain("member:0"));
  EXPECT_FALSE(mapped.is_damaged());
}

TEST_F(OnWindows, ASecretIsItsOwners) {
  const auto secret = sample(FilterKind::blocked, {.capacity = 500, .secret = true});
  for (const auto& path : {file_, folder_ / "new"}) {
    save(secret, path);
    EXPECT_EQ(RegularFile::open(path, os::Access::read).status().permissions, 0600U);
    EXPECT_TRUE(load(path).may_contain("member:0"));
  }
  save(sample(FilterKind::blocked, {.capacity = 500}), file_);
  EXPECT_EQ(RegularFile::open(file_, os::Access::read).status().permissions, 0600U)
      << "as the file was that it replaced";
}

TEST_F(OnWindows, WhatIsNoFileIsNamed) {
  EXPECT_THAT([&] { load(folder_.path()); },
              ThrowsMessage<StoreError>(HasSubstr("is a directory, not a file")));
  EXPECT_THAT([&] { load("NUL"); },
              ThrowsMessage<StoreError>(HasSubstr("is a device, not a file")));
  EXPECT_THAT([&] { load(folder_ / "none"); },
              ThrowsMessage<StoreError>(HasSubstr("No such file or directory")));
}

}  // namespace
}  // namespace bloomery
