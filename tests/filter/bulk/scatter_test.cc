// SPDX-License-Identifier: Apache-2.0
#include "bloomery/filter/bulk/scatter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "bloomery/filter/kernels/blocked_kernel.h"

namespace bloomery {
namespace {

constexpr std::size_t kRegions = 50;

std::vector<std::uint32_t> regions_of(const std::string& how, std::size_t count,
                                      std::size_t region_count = kRegions) {
  std::mt19937 random(1);
  std::vector<std::uint32_t> regions(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t region = how == "random" ? random() : how == "in turn" ? i : 7;
    regions[i] = static_cast<std::uint32_t>(region % region_count);
  }
  return regions;
}

// Probes 0, 3, 6 ... with numbers 0, 5, 10 ...
struct Numbered {
  std::vector<std::uint64_t> probes;
  std::vector<std::uint32_t> numbers;

  explicit Numbered(std::size_t count) {
    for (std::uint32_t i = 0; i < count; ++i) {
      probes.push_back(std::uint64_t{i} * 3);
      numbers.push_back(i * 5);
    }
  }
};

// Every region has its probes in their order, with their numbers, at positions of their own.
void expect_sorted(Scatter& scatter, const std::vector<std::uint32_t>& regions,
                   std::size_t region_count, const std::string& what) {
  scatter.settle();
  std::vector<std::vector<std::uint64_t>> all_expected(region_count);
  for (std::size_t i = 0; i < regions.size(); ++i) all_expected[regions[i]].push_back(i * 3);
  std::set<std::uint32_t> positions;
  for (std::size_t region = 0; region < region_count; ++region) {
    std::vector<std::uint64_t> found;
    Scatter::Pieces pieces(scatter, region);
    for (auto piece = pieces.next(); !piece.probes.empty(); piece = pieces.next()) {
      found.insert(found.end(), piece.probes.begin(), piece.probes.end());
      for (std::size_t i = 0; i < piece.probes.size(); ++i) {
        EXPECT_EQ(piece.numbers[i], piece.probes[i] / 3 * 5);
        EXPECT_LT(piece.position + i, scatter.position_end());
        EXPECT_TRUE(positions.insert(static_cast<std::uint32_t>(piece.position + i)).second);
      }
    }
    EXPECT_EQ(found, all_expected[region]) << what << ", region " << region;
  }
}

// Every count up to the room there is, twice.
TEST(Scatter, GivesEveryRegionItsProbesInTheirOrder) {
  for (const BlockedKernel* kernel : blocked_kernels()) {
    for (const char* how : {"random", "in turn", "one region"}) {
      for (const std::size_t count : {0U, 1U, 31U, 32U, 33U, 511U, 512U, 513U, 30'000U}) {
        const auto regions = regions_of(how, count);
        const Numbered all(count);
        Scatter scatter(kRegions, count, true, kernel->regions);
        for (int round = 0; round < 2; ++round) {
          scatter.append_numbered(count, all.probes.data(), regions.data(), all.numbers.data());
          expect_sorted(scatter, regions, kRegions, std::string(kernel->name) + ", " + how);
          scatter.clear();
        }
      }
    }
  }
}

TEST(Scatter, TakesMoreProbesBehindASettledOne) {
  const auto regions = regions_of("random", 5'000);
  const Numbered all(regions.size());
  Scatter scatter(kRegions, regions.size(), true, blocked_kernel().regions);
  for (std::size_t first = 0; first < regions.size();) {
    const std::size_t count = std::min<std::size_t>(first % 97 + 1, regions.size() - first);
    scatter.append_numbered(count, &all.probes[first], &regions[first], &all.numbers[first]);
    scatter.settle();
    first += count;
  }
  expect_sorted(scatter, regions, kRegions, "settled again and again");
}

// The more regions, the fewer probes wait for each.
TEST(Scatter, TakesAnyNumberOfRegions) {
  for (const std::size_t region_count : {1U, 1'025U, 5'000U}) {
    const std::size_t count = 200'000;
    const auto regions = regions_of("random", count, region_count);
    const Numbered all(count);
    Scatter scatter(region_count, count, true, blocked_kernel().regions);
    scatter.append_numbered(count, all.probes.data(), regions.data(), all.numbers.data());
    expect_sorted(scatter, regions, region_count, std::to_string(region_count) + " regions");
  }
}

TEST(Scatter, TellsThePositionsThatItsPiecesHave) {
  const auto regions = regions_of("random", 10'000);
  std::vector<std::uint64_t> probes(regions.size());
  for (std::size_t i = 0; i < probes.size(); ++i) probes[i] = i;
  std::vector<std::uint32_t> positions(regions.size());
  Scatter scatter(kRegions, regions.size(), false, blocked_kernel().regions);
  scatter.append(regions.size(), probes.data(), regions.data(), positions.data());
  scatter.settle();
  std::size_t seen = 0;
  for (std::size_t region = 0; region < kRegions; ++region) {
    Scatter::Pieces pieces(scatter, region);
    for (auto piece = pieces.next(); !piece.probes.empty(); piece = pieces.next()) {
      for (std::size_t i = 0; i < piece.probes.size(); ++i, ++seen) {
        EXPECT_EQ(positions[piece.probes[i]], piece.position + i);
      }
    }
  }
  EXPECT_EQ(seen, probes.size());
}

}  // namespace
}  // namespace bloomery
