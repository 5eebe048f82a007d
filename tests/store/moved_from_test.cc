// SPDX-License-Identifier: Apache-2.0
// Filters in files that were moved from: they have no file, and say "maybe" of every key.
#include <gtest/gtest.h>

#include <exception>
#include <utility>
#include <vector>

#include "bloomery/errors.h"
#include "bloomery/filter/blocked_filter.h"
#include "bloomery/store/filter_editor.h"
#include "bloomery/store/mapped_filter.h"
#include "bloomery/store/native_file.h"
#include "bloomery/store/shared_filter.h"
#include "tests/store/read_write.h"
#include "tests/store/scratch_folder.h"
#include "tests/support/call_everything.h"

namespace bloomery {
namespace {

using testing::attempt;
using testing::ScratchFolder;

class MovedFromFile : public ::testing::Test {
 protected:
  MovedFromFile() {
    BlockedFilter filter({.capacity = 1'000});
    filter.insert("alice");
    save(filter, file_);
  }
  const ScratchFolder folder_;
  const std::filesystem::path file_ = folder_ / "f.bloom";
  const std::vector<Key> keys_{"alice", "bob"};
};

template <class F>
void expect_usable(F& filter, const std::vector<Key>& keys) {
  testing::expect_maybe_of_all(filter, keys);
  testing::expect_maybe_of_all(filter.filter(), keys);
  EXPECT_EQ(filter.filter().capacity(), 1U);
  EXPECT_FALSE(filter.is_damaged());
  filter.notes();
  attempt([&] { filter.insert("new"); });
  attempt([&] { filter.insert(7); });
  attempt([&] { filter.insert_many(keys); });
  attempt([&] { filter.flush(); });
  testing::expect_maybe_of_all(filter, keys);
}

TEST_F(MovedFromFile, MappedFiltersSayMaybeOfAll) {
  for (const auto access : {MapOptions::read_only, MapOptions::read_write}) {
    MappedFilter first =
        open_mapped(file_, {.access = access, .survive_truncation = testing::kSurvives});
    MappedFilter second = std::move(first);
    expect_usable(first, keys_);
    EXPECT_TRUE(second.may_contain("alice"));
    EXPECT_FALSE(second.may_contain("bob"));
    first.close();
    first = std::move(second);
    expect_usable(second, keys_);
    EXPECT_FALSE(first.may_contain("bob"));
    second.close();
    first.close();
  }
  EXPECT_TRUE(inspect(file_, true).closed_cleanly);
}

TEST_F(MovedFromFile, OneThatWasTakenForItselfSaysSoToo) {
  MappedFilter mapped = open_mapped(file_, testing::kReadOnly);
  const AnyFilter taken = std::move(mapped);
  EXPECT_FALSE(taken.may_contain("bob"));
  expect_usable(mapped, keys_);
}

TEST_F(MovedFromFile, SharedFiltersSayMaybeOfAll) {
  SharedFilter first = open_shared(file_);
  SharedFilter second = std::move(first);
  expect_usable(first, keys_);
  attempt([&] { EXPECT_TRUE(first.copy().may_contain("bob")); });
  EXPECT_FALSE(second.may_contain("bob"));
  first.close();
  second.close();
  EXPECT_TRUE(inspect(file_, true).closed_cleanly);
}

TEST_F(MovedFromFile, EditorsWriteNothing) {
  FilterEditor first(file_);
  FilterEditor second = std::move(first);
  EXPECT_TRUE(first.filter().may_contain("bob"));
  EXPECT_FALSE(first.is_there());
  EXPECT_THROW(first.commit(), StoreError);
  second.filter().insert("carol");
  EXPECT_TRUE(second.is_there());
  second.commit();
  EXPECT_TRUE(load(file_).may_contain("carol"));
  EXPECT_FALSE(load(file_).may_contain("bob"));
}

// A whole filter, though a small one, in a file as elsewhere.
TEST_F(MovedFromFile, WhatIsSavedSaysMaybeToo) {
  BlockedFilter filter({.capacity = 1'000});
  const BlockedFilter taken = std::move(filter);
  save(filter, file_);
  testing::expect_maybe_of_all(load(file_), keys_);
}

}  // namespace
}  // namespace bloomery
