// SPDX-License-Identifier: Apache-2.0
// BLOOMERY_KERNEL, which is read once a process.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bloomery/filter/kernels/blocked_kernel.h"
#include "tests/cli/shell.h"

namespace bloomery {
namespace {

using ::testing::HasSubstr;
using testing::numbered_lines;
using testing::Outcome;
using testing::Shell;

TEST(Kernel, EveryKernelWritesTheSameFile) {
  for (const std::string rate : {"0.03", "0.01", "0.0001"}) {
    const Shell shell;
    std::string expected;
    for (const BlockedKernel* kernel : blocked_kernels()) {
      const std::string name(kernel->name);
      const Outcome outcome =
          shell.run("export BLOOMERY_KERNEL=" + name + "\nbloomery create " + name +
                        " -n 1000 -p " + rate + "\nbloomery insert " + name,
                    numbered_lines("key ", 1'500) + numbered_lines("1234567", 10));
      ASSERT_EQ(outcome.status, 0) << outcome.err;
      if (expected.empty()) expected = shell.read(name);
      EXPECT_EQ(shell.read(name), expected) << name << " at " << rate;
    }
    EXPECT_FALSE(expected.empty());
  }
}

TEST(Kernel, ANameThatIsNoneIsMisuse) {
  const Shell shell;
  const Outcome outcome = shell.run("BLOOMERY_KERNEL=sse9 bloomery create f.bloom -n 10 -p 0.01");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("BLOOMERY_KERNEL is \"sse9\"; this processor can run "));
  EXPECT_THAT(outcome.err, HasSubstr("scalar"));
  EXPECT_FALSE(shell.has("f.bloom"));
}

}  // namespace
}  // namespace bloomery
