// SPDX-License-Identifier: Apache-2.0
// Loads into a string of a server, and what they leave alone.

#include <gtest/gtest.h>

#include <string>

#include "bloomery/filter/filter_kinds.h"
#include "bloomery/redis/places/native_load.h"
#include "bloomery/store/native_file.h"
#include "tests/redis/places/native_place_fixture.h"
#include "tests/store/scratch_folder.h"

namespace bloomery::redis {
namespace {

using NativeLoadTest = NativeTest;

TEST_F(NativeLoadTest, ReplacingKeepsWhatIsThereAndItsIdentity) {
  load_keys(0, 100);
  const auto place = open();
  const PlaceHead head = place->head();
  insert(*place, {"by another"});
  load_keys(200, 300, {.old = OldFilter::keep});
  EXPECT_EQ(count(*place, names(200, 300), Presence::maybe), 100U);
  EXPECT_EQ(count(*place, {"by another"}, Presence::maybe), 1U);
  EXPECT_EQ(count(*place, names(0, 100), Presence::maybe), 100U);
  EXPECT_EQ(count(*place, names(5000, 5050), Presence::absent), 50U);
  EXPECT_EQ(place->head().identity, head.identity);
  EXPECT_THROW(load_keys(0, 1), StoreError) << "it is there";
  EXPECT_THROW(load_keys(0, 1, {.old = OldFilter::keep}, 0.1), StoreError) << "of another size";
  EXPECT_EQ(ask({"KEYS", "*"}).elements.size(), 1U) << "nothing is left beside it";
}

// Bits that were lost would be "absent" for good, as the checksums are void from then on.
TEST_F(NativeLoadTest, NoLoadKeepsADamagedFile) {
  const testing::ScratchFolder folder;
  const auto file = folder.path() / "f.bloom";
  AnyFilter filter =
      make_filter(FilterKind::blocked, {.capacity = 1000, .false_positive_rate = 0.001, .seed = 7});
  for (const std::string& each : names(0, 100)) filter.insert(Key(each));
  save(filter, file);
  const std::string whole = testing::read_file(file);
  std::string damaged = whole;
  damaged[4200] = static_cast<char>(~damaged[4200]);
  ask({"SET", "f", damaged});
  EXPECT_THROW(load_keys(200, 300, {.old = OldFilter::keep}), StoreError);
  EXPECT_EQ(bytes(), damaged);
  ask({"SET", "f", whole});
  load_keys(200, 300, {.old = OldFilter::keep});
  EXPECT_EQ(count(*open(), names(0, 100), Presence::maybe), 100U);
  EXPECT_EQ(count(*open(), names(200, 300), Presence::maybe), 100U);
}

// The watermark of the lost filter says more than the new one has.
TEST_F(NativeLoadTest, AFilterThatIsLostWhileItIsReplacedIsNotBroughtBackByItsName) {
  load_keys(0, 1000);
  const auto reload = [&] {
    load_keys(0, 10, {.old = OldFilter::keep, .progress = [&](auto...) { ask({"DEL", "f"}); }});
  };
  EXPECT_THROW(reload(), StoreError);
  EXPECT_EQ(ask({"DBSIZE"}).number, 0) << "and nothing is beside";
}

TEST_F(NativeLoadTest, NobodyTakesSettingsThatSayNothing) {
  const AnyFilter filter = make_filter(FilterKind::blocked, {.capacity = 10});
  for (const char* const setting : {"?partition=4", "?trailer=1", "?bits=64"}) {
    Client client(parse_location(at(setting)));
    EXPECT_THROW(load_native(client, filter.contents(), {}), std::invalid_argument);
    EXPECT_THROW(destroy_native(client), std::invalid_argument);
    EXPECT_THROW(open_native_place(at(setting), false), std::invalid_argument);
  }
  EXPECT_EQ(ask({"DBSIZE"}).number, 0);
}

TEST_F(NativeLoadTest, KeepsNothingThatForgetsOrGrows) {
  for (const FilterKind kind : {FilterKind::counting, FilterKind::scalable, FilterKind::windowed}) {
    EXPECT_THROW(load_keys(0, 0, {}, 0.01, kind), std::invalid_argument);
  }
  EXPECT_EQ(ask({"EXISTS", "f"}).number, 0);
}

}  // namespace
}  // namespace bloomery::redis
