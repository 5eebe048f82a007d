// SPDX-License-Identifier: Apache-2.0
// A fence that names no source, handed to the places that stand in front of others.
// tests/open/place_contract.h has those that hold a filter.
#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>

#include "bloomery/filter/any_filter.h"
#include "bloomery/filter/filter_kinds.h"
#include "bloomery/place/fenced_place.h"
#include "bloomery/place/local_copy.h"
#include "bloomery/place/memory_place.h"
#include "bloomery/place/opened_filter.h"

namespace bloomery {
namespace {

const Fence kNameless{.at_least = {.source = {}, .position = 1}};

std::unique_ptr<MemoryPlace<>> memory() {
  auto place = std::make_unique<MemoryPlace<>>(make_filter(FilterKind::blocked, {.capacity = 100}));
  place->ready();
  return place;
}

void expect_refused(FilterPlace& place) {
  const CallContext behind{.fence = &kNameless};
  const Key keys[] = {"out", "never"};
  Presence answers[] = {Presence::unknown, Presence::unknown};
  Proofs proofs;
  EXPECT_THROW(place.ask(keys, answers, proofs, behind), std::invalid_argument);
  EXPECT_THROW(place.ask({}, {}, proofs, behind), std::invalid_argument);
  EXPECT_THROW(place.ask_one("out", proofs, behind), std::invalid_argument);
  EXPECT_THROW(place.presence_of("out", behind), std::invalid_argument);
  EXPECT_THROW(place.presence_of_many(keys, answers, behind), std::invalid_argument);
  EXPECT_THROW(place.presence_of_many({}, {}, behind), std::invalid_argument);
  EXPECT_THROW(place.copy(behind), std::invalid_argument);
  EXPECT_TRUE(proofs.is_empty());
}

AskFence at(const Fence& fence) {
  return [fence](const CallContext&) { return fence; };
}

TEST(NamelessFence, IsRefusedByWhatStandsInFrontOfAPlace) {
  const auto place = memory();
  const Fence named{.at_least = {.source = {7, 7}, .position = 1}};
  FencedPlace strict(*place, at(named), {.longest_wait = std::chrono::milliseconds(1)});
  expect_refused(strict);
  FencedPlace within_budget(*place, at(named), {.budget = std::chrono::seconds(1)});
  expect_refused(within_budget);
  LocalCopy copy(*place);
  expect_refused(copy);
  OpenedFilter opened("opened", memory);
  expect_refused(opened);
}

TEST(NamelessFence, ThatADatabaseGivesIsRefusedAndDeniesNothing) {
  const auto place = memory();
  FencedPlace strict(*place, at(Fence{}), {.longest_wait = std::chrono::milliseconds(1)});
  EXPECT_THROW(strict.presence_of("out"), std::invalid_argument);
  FencedPlace within_budget(*place, at(Fence{}), {.budget = std::chrono::seconds(1)});
  EXPECT_THROW(within_budget.presence_of("out"), std::invalid_argument);
  EXPECT_EQ(strict.counters().fence_failures, 1U);
}

TEST(NamelessFence, IsReachedByNoWatermark) {
  const Watermark nameless{.source = {}, .position = 5};
  EXPECT_FALSE(nameless.reaches(nameless));
  EXPECT_FALSE((Watermark{{7, 7}, 5}).reaches(nameless));
  EXPECT_FALSE(nameless.reaches({{7, 7}, 5}));
  EXPECT_TRUE((Watermark{{7, 7}, 5}).reaches({{7, 7}, 5}));
}

}  // namespace
}  // namespace bloomery
