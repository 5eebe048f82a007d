// SPDX-License-Identifier: Apache-2.0
#include "bloomery/follow/filter_stepper.h"

#include <gtest/gtest.h>

#include <array>
#include <memory>

#include "bloomery/filter/blocked_filter.h"
#include "bloomery/place/memory_place.h"

namespace bloomery {
namespace {

class FilterStepperTest : public ::testing::Test {
 protected:
  inline static const FilterOptions kOptions{.capacity = 1000, .false_positive_rate = 1e-9};

  // A filter that has all up to 10, and two who keep it in step.
  FilterStepperTest() {
    put_new(10);
    ours_.begin({});
    others_.begin({});
  }

  Watermark at(std::uint64_t position) const { return {.source = source_, .position = position}; }

  void put_new(std::uint64_t position) {
    place_.begin_rebuild(kOptions, {})->commit_at(at(position), {});
  }

  // A transaction of this key that ends there; or without an end.
  bool carry(FilterStepper& stepper, const Key& key, std::uint64_t end) {
    const std::array keys{key};
    Changes changes{.keys = keys};
    if (end > 0) changes.watermark = at(end);
    return stepper.carry(changes, {});
  }

  bool has(const Key& key) { return place_.presence_of(key) == Presence::maybe; }

  const Identity source_ = Identity::random();
  MemoryPlace<> place_{AnyFilter(BlockedFilter(kOptions))};
  FilterStepper ours_{place_};
  FilterStepper others_{place_};
};

TEST_F(FilterStepperTest, MovesTheWatermarkWithTheKeys) {
  EXPECT_TRUE(carry(ours_, "a", 11));
  EXPECT_TRUE(has("a"));
  EXPECT_EQ(place_.head().watermark, at(11));
  EXPECT_EQ(ours_.reached(), at(11));
  EXPECT_TRUE(ours_.is_dirty());
}

TEST_F(FilterStepperTest, LeavesTheWatermarkUntilATransactionEnds) {
  EXPECT_TRUE(carry(ours_, "a", 0));
  EXPECT_TRUE(ours_.has_loose());
  EXPECT_EQ(place_.head().watermark, at(10));
  EXPECT_TRUE(carry(ours_, "b", 12));
  EXPECT_FALSE(ours_.has_loose());
  EXPECT_EQ(place_.head().watermark, at(12));
}

TEST_F(FilterStepperTest, GoesOnBehindAnothersStepAndSaysSo) {
  carry(others_, "theirs", 12);
  EXPECT_FALSE(carry(ours_, "ours", 11));
  EXPECT_TRUE(has("ours"));
  EXPECT_EQ(place_.head().watermark, at(12)) << "a watermark never goes back";
  EXPECT_TRUE(carry(ours_, "more", 13));
  EXPECT_FALSE(others_.look({}));
  EXPECT_TRUE(others_.look({})) << "it has been seen";
}

TEST_F(FilterStepperTest, IsOvertakenWithinATransaction) {
  carry(ours_, "half", 0);
  carry(others_, "theirs", 11);
  EXPECT_THROW(ours_.look({}), Overtaken);
  EXPECT_THROW(carry(ours_, "the other half", 11), Overtaken);
}

TEST_F(FilterStepperTest, DoesNotGoOnInAFilterThatLacksWhatCame) {
  carry(ours_, "a", 20);
  put_new(19);  // an old copy, say
  EXPECT_THROW(ours_.look({}), Overtaken);
  EXPECT_THROW(carry(ours_, "b", 21), Overtaken);
  EXPECT_EQ(place_.head().watermark, at(19)) << "it would say that a is in";
}

TEST_F(FilterStepperTest, KnowsWhetherTheNewFilterIsTheOneThatIsThere) {
  put_new(30);
  EXPECT_TRUE(ours_.begin_new(at(30), false, true, {}));
  put_new(15);
  EXPECT_FALSE(others_.begin_new(at(20), false, true, {}));
  EXPECT_FALSE(others_.is_dirty());
}

}  // namespace
}  // namespace bloomery
