// SPDX-License-Identifier: Apache-2.0
// All kernels give the scalar kernel's bits and answers, on random and on adversarial hashes.
#include "bloomery/filter/kernels/blocked_kernel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "bloomery/filter/blocked_layout.h"
#include "tests/filter/kernel_comparison.h"

namespace bloomery {
namespace {

TEST(BlockedKernel, TheScalarOneIsTheLast) {
  EXPECT_EQ(blocked_kernels().back()->name, "scalar");
}

#if defined(__aarch64__)
TEST(BlockedKernel, ThatOfArmIsNeon) {
  EXPECT_EQ(blocked_kernels().front()->name, "neon");
}
#endif

TEST(BlockedKernel, EveryKernelEqualsTheScalarOne) {
  for (const BlockedKernel* kernel : blocked_kernels()) {
    EXPECT_THAT(testing::differences_from_scalar(*kernel), ::testing::IsEmpty());
  }
}

// Far lines of two: who finds many keys asks for both lines at once, who finds few for the second
// late, and goes from one to the other after 64 keys and every 4,096.
TEST(BlockedKernel, AnswersForTwoLinesHoweverManyKeysItFinds) {
  constexpr std::size_t kCount = 9'000;
  constexpr std::uint64_t kSpread = 7;
  const BlockedShape shape =
      BlockedShape::of({.bit_count = 2 * 512 * 600, .probe_count = 14, .lines_per_key = 2});
  const auto key = [](std::size_t i) { return i * 0x10001; };
  const auto hash = [&](std::size_t i) { return IntegerHash::hash(key(i), kSpread); };
  std::vector<std::uint64_t> words(2 * 600 * 8);
  // Runs of keys that are there, of keys that are not, and of both by turns.
  for (std::size_t i = 0; i < kCount; ++i) {
    const std::size_t run = i / 1'500 % 3;
    if (run == 1 || (run == 2 && i % 2 == 0))
      SingleCalls<InstructionSet::scalar>::insert(words.data(), shape, hash(i));
  }
  std::vector<std::uint64_t> keys(kCount);
  for (std::size_t i = 0; i < kCount; ++i) keys[i] = key(i);
  HashBlocks integers{.integers = keys.data(), .spread_seed = kSpread};
  HashBlocks hashed{.context = &hash};
  hashed.hash = [](const void* context, std::size_t first, std::size_t count, HashBlock& out) {
    const auto& of = *static_cast<const decltype(hash)*>(context);
    for (std::size_t j = 0; j < count; ++j) out.set(j, of(first + j));
  };
  for (const BlockedKernel* kernel : blocked_kernels()) {
    for (HashBlocks* blocks : {&integers, &hashed}) {
      for (const std::size_t count :
           {0U, 1U, 63U, 64U, 65U, 1'000U, 4'159U, 4'160U, 4'161U, 9'000U}) {
        blocks->count = count;
        const auto found = std::make_unique<bool[]>(kCount);
        kernel->two_lines.may_contain_batch(words.data(), shape, *blocks, true, found.get());
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < kCount; ++i) {
          wrong += found[i] != (i < count && SingleCalls<InstructionSet::scalar>::may_contain(
                                                 words.data(), shape, hash(i)));
        }
        EXPECT_EQ(wrong, 0U) << kernel->name << ", " << count;
      }
    }
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
