// SPDX-License-Identifier: Apache-2.0
#include "cli/dedup/repeatable_inputs.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "bloomery/errors.h"
#include "tests/source/temporary_folder.h"

namespace bloomery::cli {
namespace {

TEST(RepeatableInputs, SeesThatAFileIsAnotherOne) {
  const TemporaryFolder folder;
  const std::string file = folder.write("file", "abc");
  const RepeatableInputs inputs({file});
  EXPECT_NO_THROW(inputs.require_unchanged());
  // The new file has the length of the old one, and had another name before.
  std::filesystem::rename(folder.write("other", "abd"), file);
  EXPECT_THROW(inputs.require_unchanged(), StoreError);
}

TEST(RepeatableInputs, SeesThatAFileGrewOrWent) {
  const TemporaryFolder folder;
  const std::string file = folder.write("file", "abc");
  const RepeatableInputs inputs({file});
  folder.write("file", "abcd");
  EXPECT_THROW(inputs.require_unchanged(), StoreError);
  std::filesystem::remove(file);
  EXPECT_THROW(inputs.require_unchanged(), StoreError);
}

TEST(RepeatableInputs, SeesThatAFileWasWrittenAgain) {
  const TemporaryFolder folder;
  const std::string file = folder.write("file", "abc");
  const RepeatableInputs inputs({file});
  std::filesystem::last_write_time(
      file, std::filesystem::last_write_time(file) + std::chrono::nanoseconds(1'000));
  EXPECT_THROW(inputs.require_unchanged(), StoreError);
}

}  // namespace
}  // namespace bloomery::cli
