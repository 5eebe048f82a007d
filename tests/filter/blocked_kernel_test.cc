// All kernels give the scalar kernel's bits and answers, on random and on adversarial hashes.
#include "bloomery/filter/kernels/blocked_kernel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "bloomery/filter/blocked_layout.h"
#include "tests/filter/kernel_comparison.h"

namespace bloomery {
namespace {

TEST(BlockedKernel, TheScalarOneIsTheLast) {
  EXPECT_EQ(blocked_kernels().back()->name, "scalar");
}

TEST(BlockedKernel, EveryKernelEqualsTheScalarOne) {
  for (const BlockedKernel* kernel : blocked_kernels()) {
    EXPECT_THAT(testing::differences_from_scalar(*kernel), ::testing::IsEmpty());
  }
}

// Stored bits depend on this: a change has to be a decision, and a new kind.
TEST(BlockedKernel, TheBitsAreFixedForEver) {
  const auto positions = [](Geometry geometry, HashPair hash) {
    FilterParameters parameters;
    parameters.kind = FilterKind::blocked;
    parameters.geometry = geometry;
    return WholeLayout<BlockedLayout>(parameters).positions(hash);
  };
  // h1 in the middle of its range: line 5 of 10. Each lane takes six bits of h2.
  const HashPair hash{std::uint64_t{1} << 63, 0x0003'3f2a'1c0b'9d47};
  const std::uint64_t line = 5 * kLineBits;
  EXPECT_EQ(positions({10 * kLineBits, 8, 1}, hash),
            (std::vector<std::uint64_t>{line + 7, line + 117, line + 185, line + 194, line + 284,
                                        line + 360, line + 434, line + 463}));
  EXPECT_EQ(positions({10 * kLineBits, 3, 1}, hash),
            (std::vector<std::uint64_t>{line + 194, line + 284, line + 360}));
  EXPECT_EQ(positions({20 * kLineBits, 5, 2}, hash),
            (std::vector<std::uint64_t>{line + 194, line + 284, line + 360, 6469, 6584}));
}

}  // namespace
}  // namespace bloomery
