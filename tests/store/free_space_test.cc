// SPDX-License-Identifier: Apache-2.0
#include "bloomery/store/free_space.h"

#include <gtest/gtest.h>

#include <string>

#include "bloomery/errors.h"
#include "tests/source/temporary_folder.h"

namespace bloomery {
namespace {

TEST(FreeSpace, IsAskedOfTheFileSystemBeforeAnythingIsWritten) {
  const TemporaryFolder folder;
  const std::string file = folder.path("f");
  EXPECT_NO_THROW(require_room_beside(file, 1));
  try {
    require_room_beside(file, std::uint64_t{1} << 60);
    FAIL() << "that much fits nowhere";
  } catch (const StoreError& error) {
    const std::string why = error.what();
    EXPECT_NE(why.find("1,152,921,504,606,846,976 bytes are needed, and "), std::string::npos);
    EXPECT_NE(why.find(file), std::string::npos);
  }
  EXPECT_TRUE(free_bytes_at("no folder at all here"));
  EXPECT_FALSE(free_bytes_at(folder.path("missing/f")));
}

}  // namespace
}  // namespace bloomery
