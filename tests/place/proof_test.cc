// SPDX-License-Identifier: Apache-2.0
// What answers rest on, gathered and compared.

#include "bloomery/place/proof.h"

#include <gtest/gtest.h>

#include <set>

namespace bloomery {
namespace {

const Identity kOne{1, 1};
const Identity kTwo{2, 2};

Proof proof(std::uint32_t part, std::uint64_t filter, std::uint64_t position) {
  return {part, filter, Watermark{kOne, position}};
}

TEST(Proofs, KeepTheHigherWatermarkOfAFilter) {
  Proofs proofs;
  for (const std::uint64_t position : {5U, 9U, 7U}) proofs.add(proof(0, 1, position));
  ASSERT_EQ(proofs.all().size(), 1U);
  EXPECT_EQ(proofs.all()[0].watermark->position, 9U);
  EXPECT_EQ(proofs.highest_of(kOne), 9U);
  EXPECT_EQ(proofs.highest_of(kTwo), 0U);
}

TEST(Proofs, KeepOneOfEachPartFilterAndSource) {
  Proofs proofs;
  for (int again = 0; again < 2; ++again) {
    proofs.add(proof(7, 1, 5));
    proofs.add(proof(0, 1, 5));
    proofs.add(proof(0, 2, 5));
    proofs.add({0, 1, Watermark{kTwo, 5}});
    proofs.add({0, 1, std::nullopt});
    proofs.add(proof(3, 1, 5));
  }
  ASSERT_EQ(proofs.all().size(), 6U);
  EXPECT_TRUE(std::ranges::is_sorted(proofs.all(), {}, &Proof::part));
  EXPECT_TRUE(proofs.has_filter_of(proof(7, 1, 99)));
  EXPECT_FALSE(proofs.has_filter_of(proof(7, 2, 5)));
  EXPECT_FALSE(proofs.has_filter_of(proof(1, 1, 5)));
  EXPECT_FALSE(proofs.has_filter_of({7, 1, std::nullopt}));
  EXPECT_FALSE(proofs.has_filter_of({7, 1, Watermark{kTwo, 5}}));
}

TEST(Proofs, AFilterThatIsNotKnownIsLikeNoOther) {
  Proofs proofs;
  proofs.add(proof(0, 0, 5));
  EXPECT_FALSE(proofs.has_filter_of(proof(0, 0, 5)));
  EXPECT_FALSE(proofs.shares_filter_with(proofs));
}

TEST(Proofs, ShareAFilterWhateverItsSource) {
  Proofs one;
  one.add(proof(2, 1, 5));
  Proofs other;
  other.add({2, 1, Watermark{kTwo, 9}});
  EXPECT_TRUE(one.shares_filter_with(other));
  Proofs elsewhere;
  elsewhere.add(proof(1, 1, 5));
  elsewhere.add(proof(2, 8, 5));
  EXPECT_FALSE(one.shares_filter_with(elsewhere));
}

TEST(FilterNumbers, DifferByFilterAndByPlace) {
  const FilterNumbers here;
  const FilterNumbers there;
  const std::set<std::uint64_t> all{here.of(kOne),   here.of(kTwo),  here.of({0, 1}),
                                    here.of({1, 0}), there.of(kOne), there.of(kTwo)};
  EXPECT_EQ(all.size(), 6U);
  EXPECT_FALSE(all.contains(0));
  EXPECT_EQ(here.of(kTwo), here.of(kTwo));
  EXPECT_EQ(here.of({}), 0U);
  EXPECT_NE(here.of_the_only_one(), there.of_the_only_one());
}

}  // namespace
}  // namespace bloomery
