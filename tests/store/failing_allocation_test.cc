// SPDX-License-Identifier: Apache-2.0
// Memory that runs out at any moment: the file stays whole, and nothing is left behind.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <new>

#include "bloomery/store/filter_editor.h"
#include "bloomery/store/mapped_filter.h"
#include "bloomery/store/native_file.h"
#include "tests/store/allocation_faults.h"
#include "tests/store/read_write.h"
#include "tests/store/sample_filters.h"
#include "tests/store/scratch_folder.h"

namespace bloomery {
namespace {

using ::testing::ElementsAre;

// Runs `action` until none of its allocations failed. Returns how many could.
int fail_each_allocation(const std::function<void()>& action, const std::function<void()>& after) {
  for (int nth = 1;; ++nth) {
    bool failed = false;
    {
      const testing::FailingAllocation fault(nth);
      try {
        action();
      } catch (const std::bad_alloc&) {
      }
      failed = fault.failed();
    }
    if (!failed) return nth - 1;
    SCOPED_TRACE("allocation " + std::to_string(nth));
    after();
  }
}

TEST(FailingAllocation, LeavesTheFileWhole) {
  const testing::ScratchFolder folder;
  const auto file = folder / "f";
  const AnyFilter old_filter = testing::sample(FilterKind::blocked, {.capacity = 500});
  const AnyFilter new_filter = testing::sample(FilterKind::classic, {.capacity = 300});
  save(old_filter, file);
  const auto is_whole = [&] {
    EXPECT_TRUE(load(file).may_contain("member:0"));
    EXPECT_THAT(folder.names(), ElementsAre("f"));
  };
  EXPECT_GT(fail_each_allocation([&] { save(new_filter, file); }, is_whole), 10);
  EXPECT_GT(fail_each_allocation([&] { load(file); }, is_whole), 3);
  EXPECT_GT(fail_each_allocation([&] { open_mapped(file, testing::kVerified); }, is_whole), 3);
  const auto edit = [&] {
    FilterEditor editor(file);
    editor.commit();
  };
  EXPECT_GT(fail_each_allocation(edit, is_whole), 10);
  const auto write_mapped = [&] {
    MappedFilter mapped = open_mapped(file, testing::kReadWrite);
    mapped.insert("more");
    mapped.close();
  };
  EXPECT_GT(fail_each_allocation(write_mapped,
                                 [&] {
                                   recover(file);
                                   is_whole();
                                 }),
            5);
  EXPECT_TRUE(load(file).may_contain("more"));
}

}  // namespace
}  // namespace bloomery
