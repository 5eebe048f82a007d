// All kernels pack keys and set regions as the scalar kernel's look-ups want them.
#include "bloomery/filter/kernels/region_kernel.h"

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <vector>

#include "bloomery/filter/bulk/packed_probe.h"
#include "bloomery/filter/kernels/blocked_kernel.h"

namespace bloomery {
namespace {

std::vector<HashPair> hashes() {
  std::vector<HashPair> all;
  for (const std::uint64_t h1 : {0, 1, -1}) {
    for (const std::uint64_t h2 : {0, 1, -1}) all.push_back({h1, h2});
  }
  std::mt19937_64 random(5);
  while (all.size() < 1'003) all.push_back({random(), random()});
  return all;
}

TEST(RegionKernel, EveryKernelPacksTheLineAndTheMaskOfAKey) {
  const auto all = hashes();
  // The last two do not fit 32 bits.
  for (const std::uint64_t lines :
       {std::uint64_t{1}, std::uint64_t{8'191}, std::uint64_t{8'193}, std::uint64_t{1} << 31,
        (std::uint64_t{1} << 32) - 1, std::uint64_t{1} << 32, (std::uint64_t{1} << 44) - 5}) {
    for (const BlockedKernel* kernel : blocked_kernels()) {
      std::vector<std::uint64_t> packed(all.size());
      std::vector<std::uint32_t> regions(all.size());
      kernel->regions.pack(all.data(), all.size(), lines, packed.data(), regions.data());
      for (std::size_t i = 0; i < all.size(); ++i) {
        const std::uint64_t line = fast_range(all[i].h1, lines);
        ASSERT_EQ(regions[i], line / kRegionLines) << kernel->name << ", " << lines << " lines";
        ASSERT_EQ(packed_line(packed[i]), line % kRegionLines) << kernel->name;
        ASSERT_EQ(packed[i] & kPackedWordMask, all[i].h2 & kPackedWordMask) << kernel->name;
      }
    }
  }
}

TEST(RegionKernel, EveryKernelSetsTheBitsOfAKeyInItsLine) {
  const auto all = hashes();
  const std::uint64_t lines = 100;  // several keys a line: some are there already
  std::vector<std::uint64_t> packed(all.size());
  std::vector<std::uint32_t> regions(all.size());
  pack_each(all.data(), all.size(), lines, packed.data(), regions.data());
  for (std::uint32_t probes = 1; probes <= kLaneCount; ++probes) {
    const BlockedShape shape{lines, {probes, 0}};
    for (const BlockedKernel* kernel : blocked_kernels()) {
      for (const std::size_t count : {0U, 1U, 7U, 8U, 9U, 1'003U}) {
        std::vector<std::uint64_t> expected(lines * kLineWords);
        std::vector<char> expected_new(count);
        for (std::size_t i = 0; i < count; ++i) {
          expected_new[i] =
              SingleCalls<InstructionSet::scalar>::insert(expected.data(), shape, all[i]) ? 1 : 0;
        }
        const auto expected_count =
            static_cast<std::size_t>(std::count(expected_new.begin(), expected_new.end(), 1));
        for (const bool tells : {false, true}) {
          std::vector<std::uint64_t> words(lines * kLineWords);
          const auto was_new = std::make_unique<bool[]>(count);
          const RegionWork work{words.data(), probes, packed.data(), count, packed.data(),
                                words.data(), 1};
          EXPECT_EQ(kernel->regions.insert(work, tells ? was_new.get() : nullptr), expected_count)
              << kernel->name;
          EXPECT_EQ(words, expected) << kernel->name << ", " << probes << " probes";
          if (tells) {
            EXPECT_TRUE(std::equal(expected_new.begin(), expected_new.end(), was_new.get()));
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace bloomery
