// SPDX-License-Identifier: Apache-2.0
#include "module/stored_filter.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "bloomery/errors.h"
#include "bloomery/filter/filter_kinds.h"
#include "bloomery/format/native/write_native.h"
#include "module/upload.h"
#include "module/window_clock.h"

namespace bloomery::module {
namespace {

std::vector<std::string> texts(int first, int last) {
  std::vector<std::string> all;
  for (int i = first; i < last; ++i) all.push_back("item " + std::to_string(i));
  return all;
}

InsertProgress add(StoredFilter& filter, const std::vector<std::string>& items,
                   std::vector<char>& was_new) {
  const std::vector<Key> keys(items.begin(), items.end());
  const auto flags = std::make_unique<bool[]>(keys.size());
  InsertProgress progress;
  filter.insert_while_room(keys, flags.get(), progress);
  was_new.assign(flags.get(), flags.get() + progress.done);
  return progress;
}

TEST(StoredFilter, IsFullAtItsCapacityWhetherItComesOneByOneOrTogether) {
  for (const FilterKind kind : {FilterKind::blocked, FilterKind::classic, FilterKind::counting}) {
    const FilterOptions options{.capacity = 50, .false_positive_rate = 1e-9};
    const auto together = StoredFilter::reserve(kind, options);
    std::vector<char> was_new;
    auto items = texts(0, 30);
    for (const auto& repeated : texts(10, 60)) items.push_back(repeated);
    const InsertProgress progress = add(*together, items, was_new);
    EXPECT_EQ(progress.added, 50U);
    EXPECT_EQ(progress.done, 70U) << "the items up to number 49, 20 of them twice";

    const auto one_by_one = StoredFilter::reserve(kind, options);
    for (std::size_t i = 0; i < items.size(); ++i) {
      const Insert insert = one_by_one->try_insert(items[i]);
      if (i >= progress.done) {
        EXPECT_EQ(insert, Insert::full) << i;
      } else {
        EXPECT_EQ(insert == Insert::added, was_new[i] != 0) << i;
      }
    }
    EXPECT_EQ(one_by_one->inserted(), 50U);
    EXPECT_EQ(together->try_insert("item 3"), Insert::present) << "a full filter knows its keys";
  }
}

TEST(StoredFilter, GrowsOrForgetsInsteadWhereItCan) {
  for (const FilterKind kind : {FilterKind::scalable, FilterKind::windowed}) {
    FilterOptions options{.capacity = 20, .false_positive_rate = 0.01};
    options.window.length_ms = 1000;
    const auto filter = StoredFilter::reserve(kind, options);
    std::vector<char> was_new;
    EXPECT_EQ(add(*filter, texts(0, 500), was_new).done, 500U);
  }
}

TEST(StoredFilter, RemembersByTheMomentOfACommand) {
  FilterOptions options{.capacity = 100, .false_positive_rate = 0.01};
  options.window.length_ms = 1000;
  const auto filter = StoredFilter::reserve(FilterKind::windowed, options);
  {
    const AtMoment long_ago(1'000'000);
    filter->try_insert("a");
    EXPECT_TRUE(filter->may_contain("a"));
  }
  {
    const AtMoment later(1'003'000);
    EXPECT_FALSE(filter->may_contain("a"));
  }
}

// The items kept beside a load that took longer than the window: older than the filter that came.
TEST(StoredFilter, WhatWasAddedDuringALongLoadTakesNoTimeFromAWindow) {
  constexpr std::uint64_t kLength = 12'000;
  constexpr std::uint64_t kEnd = 1'700'000'000'000;
  for (const std::uint64_t generations : {1U, 4U, 7U}) {
    for (const std::uint64_t lasted : {kLength / 2, kLength * 17 / 10, kLength * 5}) {
      FilterOptions options{.capacity = 10'000, .false_positive_rate = 1e-6};
      options.window = {.length_ms = kLength,
                        .generations = static_cast<std::uint32_t>(generations)};
      const auto filter = StoredFilter::reserve(FilterKind::windowed, options);
      AddedMeanwhile added;
      for (std::uint64_t i = 0; i < 40; ++i) {
        added.note("live " + std::to_string(i), kEnd - lasted + i * lasted / 40);
      }
      {
        const AtMoment moment(kEnd);
        for (const auto& key : texts(0, 100)) filter->try_insert(key);
        filter->take_over(added);
      }
      for (const std::uint64_t age : {std::uint64_t{0}, kLength / 4, kLength}) {
        const AtMoment moment(kEnd + age);
        for (const auto& key : texts(0, 100)) {
          ASSERT_TRUE(filter->may_contain(key)) << key << " after " << age << " of " << lasted;
        }
        for (const auto& item : added.all()) {
          if (item.milliseconds + kLength < kEnd + age) continue;
          ASSERT_TRUE(filter->may_contain(item.text)) << item.text;
        }
        filter->try_insert("live later");
      }
      const AtMoment much_later(kEnd + 3 * kLength);
      EXPECT_FALSE(filter->may_contain("item 0"));
    }
  }
}

TEST(StoredFilter, IsMadeOfTheHeadOfAnEmptyOne) {
  const auto from = StoredFilter::reserve(FilterKind::scalable, {.capacity = 500, .secret = true});
  const NativeHead head(from->contents(), {});
  const auto same = StoredFilter::of_head(head.bytes);
  EXPECT_EQ(incompatibility(from->parameters(), same->parameters()), "");
  from->try_insert("a");
  EXPECT_THROW(StoredFilter::of_head(NativeHead(from->contents(), {}).bytes), FormatError);
  for (std::size_t size = 0; size < head.bytes.size(); size += 61) {
    EXPECT_THROW(StoredFilter::of_head(std::span(head.bytes).first(size)), FormatError) << size;
  }
}

TEST(StoredFilter, ClonesAreItsEqualsAndNoMore) {
  const auto filter = StoredFilter::reserve(FilterKind::scalable, {.capacity = 100});
  std::vector<char> was_new;
  add(*filter, texts(0, 5000), was_new);
  const auto clone = filter->clone();
  EXPECT_EQ(clone->inserted(), filter->inserted());
  for (const std::string& each : texts(0, 5000)) EXPECT_TRUE(clone->may_contain(each));
  clone->try_insert("another");
  EXPECT_FALSE(filter->may_contain("another"));
}

TEST(StoredFilter, MergesWhatFitsAndNothingElse) {
  const FilterOptions options{.capacity = 1000, .seed = 5};
  const auto a = StoredFilter::reserve(FilterKind::blocked, options);
  const auto b = StoredFilter::reserve(FilterKind::blocked, options);
  a->try_insert("a");
  b->try_insert("b");
  a->merge(b->contents());
  EXPECT_TRUE(a->may_contain("a") && a->may_contain("b"));
  const auto other = StoredFilter::reserve(FilterKind::blocked, {.capacity = 1000, .seed = 6});
  EXPECT_THROW(a->merge(other->contents()), IncompatibleError);
}

TEST(UploadKey, IsOfTheSlotOfItsTarget) {
  EXPECT_EQ(upload_key("users", true), "{users}.loading");
  EXPECT_EQ(upload_key("a{tag}b", true), "a{tag}b.loading");
  EXPECT_EQ(upload_key("open{", true), "{open{}.loading");
  EXPECT_EQ(upload_key("{}x", true), std::nullopt);
  EXPECT_EQ(upload_key("a}b", true), std::nullopt);
  EXPECT_EQ(upload_key("", true), std::nullopt);
  EXPECT_EQ(upload_key("a}b", false), "a}b.loading");
}

}  // namespace
}  // namespace bloomery::module
