#include "bloomery/filter/bulk/scatter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

namespace bloomery {
namespace {

constexpr std::size_t kRegions = 50;

std::vector<std::uint32_t> regions_of(const std::string& how, std::size_t count) {
  std::mt19937 random(1);
  std::vector<std::uint32_t> regions(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t region = how == "random" ? random() % kRegions : how == "in turn" ? i : 7;
    regions[i] = static_cast<std::uint32_t>(region % kRegions);
  }
  return regions;
}

// Every count up to the room there is, twice, each probe its own number.
TEST(Scatter, GivesEveryRegionItsProbesInTheirOrder) {
  for (const char* how : {"random", "in turn", "one region"}) {
    for (const std::size_t count : {0U, 1U, 7U, 511U, 512U, 513U, 30'000U}) {
      const auto regions = regions_of(how, count);
      std::vector<std::uint64_t> probes(count);
      std::vector<std::uint32_t> numbers(count);
      for (std::size_t i = 0; i < count; ++i) {
        probes[i] = i * 3;
        numbers[i] = static_cast<std::uint32_t>(i * 5);
      }
      Scatter scatter(kRegions, count, true);
      for (int round = 0; round < 2; ++round) {
        scatter.append_numbered(count, probes.data(), regions.data(), numbers.data());
        std::set<std::uint32_t> positions;
        for (std::uint32_t region = 0; region < kRegions; ++region) {
          std::vector<std::uint64_t> expected;
          for (std::size_t i = 0; i < count; ++i) {
            if (regions[i] == region) expected.push_back(probes[i]);
          }
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
          EXPECT_EQ(found, expected) << how << ", " << count << " probes, region " << region;
        }
        scatter.clear();
      }
    }
  }
}

TEST(Scatter, TellsThePositionsThatItsPiecesHave) {
  const auto regions = regions_of("random", 10'000);
  std::vector<std::uint64_t> probes(regions.size());
  for (std::size_t i = 0; i < probes.size(); ++i) probes[i] = i;
  std::vector<std::uint32_t> positions(regions.size());
  Scatter scatter(kRegions, regions.size(), false);
  scatter.append(regions.size(), probes.data(), regions.data(), positions.data());
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
