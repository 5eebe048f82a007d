// SPDX-License-Identifier: Apache-2.0
// All kernels pack keys and set regions as the scalar kernel's look-ups want them.
#include "bloomery/filter/kernels/region_kernel.h"

#include <gtest/gtest.h>

#include <algorithm>
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

// Returns pairs as a batch of blocks.
HashBlocks blocks_of(const std::vector<HashPair>& all) {
  HashBlocks blocks{.count = all.size(), .context = all.data()};
  blocks.hash = [](const void* context, std::size_t first, std::size_t count, HashBlock& out) {
    const auto* const pairs = static_cast<const HashPair*>(context);
    for (std::size_t j = 0; j < count; ++j) out.set(j, pairs[first + j]);
  };
  return blocks;
}

// Probes and regions that a kernel packs of `all` keys of a batch, kPackedAtOnce at a time and then
// seven less.
struct AllPacked {
  std::vector<std::uint64_t> probes[2];
  std::vector<std::uint32_t> regions[2];

  AllPacked(const RegionOps& ops, const HashBlocks& hashes, const BlockedShape& shape) {
    struct alignas(64) Room {
      std::uint64_t probes[kPackedAtOnce];
      alignas(64) std::uint32_t regions[kPackedAtOnce];
    };
    const auto room = std::make_unique<Room[]>(2);
    std::size_t most = kPackedAtOnce;
    for (std::size_t begin = 0; begin < hashes.count; most -= 7) {
      const std::size_t count = std::min(hashes.count - begin, most);
      ops.pack(hashes, begin, count, shape, {room[0].probes, room[0].regions},
               {room[1].probes, room[1].regions});
      for (int line = 0; line < 2; ++line) {
        probes[line].insert(probes[line].end(), room[line].probes, room[line].probes + count);
        regions[line].insert(regions[line].end(), room[line].regions, room[line].regions + count);
      }
      begin += count;
    }
  }
};

void expect_packed(const AllPacked& packed, int line, std::size_t i, HashPair hash,
                   std::uint64_t lines, std::string_view kernel) {
  const std::uint64_t number = fast_range(hash.h1, lines);
  const std::uint64_t probe = packed.probes[line][i];
  ASSERT_EQ(packed.regions[line][i], number / kRegionLines) << kernel << ", " << lines << " lines";
  ASSERT_EQ(packed_line(probe), number % kRegionLines) << kernel;
  ASSERT_EQ(probe & kPackedWordMask, hash.h2 & kPackedWordMask) << kernel;
}

TEST(RegionKernel, EveryKernelPacksTheLinesAndTheMasksOfAKey) {
  const auto all = hashes();
  // The last two do not fit 32 bits.
  for (const std::uint64_t lines :
       {std::uint64_t{1}, std::uint64_t{8'191}, std::uint64_t{8'193}, std::uint64_t{1} << 31,
        (std::uint64_t{1} << 32) - 1, std::uint64_t{1} << 32, (std::uint64_t{1} << 44) - 5}) {
    for (const std::uint32_t second : {0U, 3U}) {
      const BlockedShape shape{lines, {8, second}};
      for (const BlockedKernel* kernel : blocked_kernels()) {
        const AllPacked packed(kernel->regions, blocks_of(all), shape);
        for (std::size_t i = 0; i < all.size(); ++i) {
          expect_packed(packed, 0, i, all[i], lines, kernel->name);
          if (second != 0) expect_packed(packed, 1, i, second_pair(all[i]), lines, kernel->name);
        }
      }
    }
  }
}

TEST(RegionKernel, EveryKernelHashesIntegersItself) {
  constexpr std::uint64_t kLines = 100'000;
  constexpr std::uint64_t kSpreadSeed = 77;
  std::vector<std::uint64_t> keys(1'003);
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = i * i;
  const HashBlocks hashes{
      .count = keys.size(), .integers = keys.data(), .spread_seed = kSpreadSeed};
  for (const BlockedKernel* kernel : blocked_kernels()) {
    const AllPacked packed(kernel->regions, hashes, {kLines, {8, 0}});
    std::vector<HashPair> expected(keys.size());
    kernel->hash_integers(keys.data(), keys.size(), kSpreadSeed, expected.data());
    for (std::size_t i = 0; i < keys.size(); ++i) {
      expect_packed(packed, 0, i, expected[i], kLines, kernel->name);
    }
  }
}

TEST(RegionKernel, EveryKernelStreamsLines) {
  struct alignas(64) Line {
    std::uint64_t words[kLineWords];
  };
  std::vector<Line> from(9);
  for (std::size_t i = 0; i < from.size() * kLineWords; ++i) {
    from[i / kLineWords].words[i % kLineWords] = i + 1;
  }
  for (const BlockedKernel* kernel : blocked_kernels()) {
    for (const std::size_t lines : {0U, 1U, 2U, 4U, 8U}) {
      std::vector<Line> to(from.size());
      kernel->regions.stream(to[0].words, from[0].words, lines);
      stream_fence();
      for (std::size_t i = 0; i < from.size(); ++i) {
        EXPECT_EQ(std::ranges::equal(to[i].words, from[i].words), i < lines) << kernel->name;
      }
    }
  }
}

TEST(RegionKernel, EveryKernelSetsTheBitsOfAKeyInItsLine) {
  const auto all = hashes();
  const std::uint64_t lines = 100;  // several keys a line: some are there already
  std::vector<std::uint64_t> packed;
  for (const HashPair& hash : all)
    packed.push_back(pack_probe(fast_range(hash.h1, lines), hash.h2));
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
