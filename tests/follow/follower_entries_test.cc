// SPDX-License-Identifier: Apache-2.0
#include "bloomery/follow/follower_entries.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "bloomery/errors.h"

namespace bloomery {
namespace {

using Texts = std::vector<std::string>;
using std::chrono::hours;
using std::chrono::milliseconds;

constexpr Watermark kEnd{.source = {.high = 1, .low = 2}, .position = 3};

struct Erased final : EntryEraser {
  void erase_many(std::span<const Key> keys, const CallContext&) override {
    if (is_away) throw StoreError("the cache is away");
    for (const Key each : keys) texts.emplace_back(each);
  }
  Texts take() { return std::exchange(texts, {}); }

  Texts texts;
  bool is_away = false;
};

class FollowerEntriesTest : public ::testing::Test {
 protected:
  static std::uint64_t erase(FollowerEntries& entries, const Texts& came, const Texts& touched,
                             bool is_end, const std::vector<std::uint64_t>& ended = {}) {
    const std::vector<Key> keys(came.begin(), came.end());
    const std::vector<Key> old(touched.begin(), touched.end());
    Changes changes{.keys = keys, .touched = old, .ended = ended};
    if (is_end) changes.watermark = kEnd;
    return entries.erase(changes, {});
  }

  FollowerEntries make(milliseconds again_after) {
    return {&cache_, again_after, [this](std::vector<std::uint64_t>& ended, const CallContext&) {
              std::erase_if(ended, [this](std::uint64_t each) { return !unseen_.contains(each); });
            }};
  }

  Erased cache_;
  std::set<std::uint64_t> unseen_;
};

TEST_F(FollowerEntriesTest, ErasesAgainAWhileAfterTheEnd) {
  FollowerEntries entries = make(milliseconds(0));
  erase(entries, {"new"}, {"old"}, false);
  EXPECT_EQ(cache_.take(), (Texts{"new", "old"}));
  erase(entries, {}, {"older"}, false);
  EXPECT_EQ(cache_.take(), (Texts{"older"})) << "the transaction has not ended";
  erase(entries, {}, {}, true);
  EXPECT_EQ(cache_.take(), Texts{});
  erase(entries, {"next"}, {}, true);
  EXPECT_EQ(cache_.take(), (Texts{"new", "old", "older", "next"}));
}

TEST_F(FollowerEntriesTest, ErasesAgainWhatEverybodySees) {
  FollowerEntries entries = make(milliseconds(0));
  unseen_ = {5};
  erase(entries, {"held"}, {}, true, {5});
  erase(entries, {"seen"}, {}, true, {4});
  erase(entries, {"part of"}, {}, false);
  erase(entries, {"both"}, {}, true, {6, 5});
  EXPECT_EQ(cache_.take(), (Texts{"held", "seen", "seen", "part of", "both"}));
  for (int i = 0; i < 3; ++i) erase(entries, {}, {}, true, {7});
  EXPECT_EQ(cache_.take(), Texts{});
  unseen_ = {};
  erase(entries, {}, {}, true);
  EXPECT_EQ(cache_.take(), (Texts{"held", "part of", "both"}));
  erase(entries, {}, {}, true);
  EXPECT_EQ(cache_.take(), Texts{});
}

// Transactions of another source may have the same names.
TEST_F(FollowerEntriesTest, AsksNoSourceAboutTransactionsOfAnother) {
  FollowerEntries entries = make(milliseconds(0));
  unseen_ = {5};
  erase(entries, {"held"}, {}, true, {5});
  cache_.take();
  Watermark other = kEnd;
  other.source.low = 9;
  entries.erase({.keys = {}, .watermark = other}, {});
  EXPECT_EQ(cache_.take(), Texts{"held"});
}

TEST_F(FollowerEntriesTest, ErasesAtItsEndWhatIsStillToBeErased) {
  FollowerEntries entries = make(hours(1));
  erase(entries, {"ended"}, {}, true);
  erase(entries, {"open"}, {}, false);
  cache_.take();
  entries.end({});
  EXPECT_EQ(cache_.take(), (Texts{"ended", "open"}));
  entries.end({});
  EXPECT_EQ(cache_.take(), Texts{});
}

TEST_F(FollowerEntriesTest, WhatACacheDidNotEraseComesAgain) {
  FollowerEntries entries = make(milliseconds(0));
  erase(entries, {"row"}, {}, true);
  cache_.take();
  cache_.is_away = true;
  EXPECT_THROW(erase(entries, {"other"}, {}, true), StoreError);
  cache_.is_away = false;
  entries.end_open();
  erase(entries, {"other"}, {}, true);
  EXPECT_EQ(cache_.take(), (Texts{"row", "other"}));
}

TEST_F(FollowerEntriesTest, CountsWhatMayBeLeft) {
  FollowerEntries entries = make(hours(1));
  EXPECT_EQ(entries.erase({.keys = {}, .untold_count = 7}, {}), 7U);
  const Texts many(1'000, std::string(40'000, 'x'));
  EXPECT_EQ(erase(entries, many, {}, true, {5}), 0U);
  cache_.take();
  EXPECT_EQ(erase(entries, many, {}, false), 2'000U) << "64 MiB wait to end, or to be seen";
  EXPECT_EQ(cache_.take().size(), 3'000U) << "all of them have been erased again";
  EXPECT_EQ(erase(entries, {"small"}, {}, true), 0U);
}

TEST_F(FollowerEntriesTest, WithoutACacheNothingIsLeft) {
  FollowerEntries entries(nullptr, milliseconds(0), {});
  EXPECT_EQ(entries.erase({.keys = {}, .untold_count = 7}, {}), 0U);
  EXPECT_EQ(erase(entries, {"row"}, {}, true), 0U);
  entries.end({});
}

}  // namespace
}  // namespace bloomery
