// SPDX-License-Identifier: Apache-2.0
// Filters of our own in a string of a server.

#include "bloomery/redis/places/native_place.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "bloomery/filter/filter_kinds.h"
#include "bloomery/redis/places/native_load.h"
#include "bloomery/store/mapped_filter.h"
#include "bloomery/store/native_file.h"
#include "tests/redis/places/native_place_fixture.h"
#include "tests/store/scratch_folder.h"

namespace bloomery::redis {
namespace {

using NativePlaceTest = NativeTest;

TEST_F(NativePlaceTest, AnswersAsTheFilterThatWasPutThere) {
  for (const FilterKind kind : {FilterKind::blocked, FilterKind::classic}) {
    for (const double rate : {0.01, 1e-6}) {  // one line a key, and two
      load_keys(0, 1000, {.old = OldFilter::drop}, rate, kind);
      AnyFilter same =
          make_filter(kind, {.capacity = 1000, .false_positive_rate = rate, .seed = 7});
      for (const std::string& each : names(0, 1000)) same.insert(Key(each));
      const auto place = open(false);
      EXPECT_EQ(count(*place, names(0, 1000), Presence::maybe), 1000U);
      for (const std::string& each : names(1000, 2000)) {
        ASSERT_EQ(place->presence_of(Key(each)) == Presence::maybe, same.may_contain(Key(each)));
      }
      EXPECT_EQ(count(*place, names(1000, 2000), Presence::unknown), 0U);
      EXPECT_EQ(place->copy().contents().words.front().size(),
                same.contents().words.front().size());
      EXPECT_TRUE(std::ranges::equal(place->copy().contents().words.front(),
                                     same.contents().words.front()));
    }
  }
}

TEST_F(NativePlaceTest, InsertsTellWhatIsNewAndSetTheBitsOfAFile) {
  load_keys(0, 0);
  const auto place = open();
  const auto texts = names(0, 500);
  const std::vector<Key> keys(texts.begin(), texts.end());
  std::vector<Inserted> outcomes(500);
  place->insert_many(keys, outcomes);
  EXPECT_GE(std::ranges::count(outcomes, Inserted::added), 495);
  place->insert_many(keys, outcomes);
  EXPECT_EQ(std::ranges::count(outcomes, Inserted::present), 500);
  EXPECT_EQ(count(*open(false), texts, Presence::maybe), 500U);

  // GET gives a file; it says that no checksum covers its body, and recover() seals it.
  const testing::ScratchFolder folder;
  const auto file = folder / "f.bloom";
  std::ofstream(file) << bytes();
  EXPECT_THROW(load(file), FormatError);
  recover(file);
  const AnyFilter sealed = load(file);
  for (const Key key : keys) EXPECT_TRUE(sealed.may_contain(key));
  EXPECT_NEAR(static_cast<double>(sealed.inserted()), 500, 15);

  // SET of a file makes a filter whose checksums are looked at.
  save(sealed, file);
  ask({"SET", "f", testing::read_file(file)});
  EXPECT_EQ(count(*open(false), texts, Presence::maybe), 500U);
  EXPECT_FALSE(open(false)->head().identity.is_set());
  EXPECT_TRUE(open(true)->head().identity.is_set()) << "who writes gives it one";
  std::string damaged = testing::read_file(file);
  damaged[5000] = static_cast<char>(~damaged[5000]);
  ask({"SET", "f", damaged});
  EXPECT_THROW(open(false), StoreError);
}

TEST_F(NativePlaceTest, ABatchIsOneTrip) {
  load_keys(0, 1000);
  const auto place = open(false);
  ask({"CONFIG", "RESETSTAT"});
  count(*place, names(0, 1000), Presence::maybe);
  const std::string info = ask({"INFO", "commandstats"}).text;
  EXPECT_NE(info.find("cmdstat_getrange:calls=1001,"), std::string::npos) << info;
  EXPECT_NE(info.find("cmdstat_role:calls=1,"), std::string::npos) << info;
}

TEST_F(NativePlaceTest, WhatItCannotKnowIsUnknownNeverAbsent) {
  load_keys(0, 100);
  const std::string whole = bytes();
  const auto all_unknown = [&](FilterPlace& place) {
    EXPECT_EQ(count(place, names(5000, 5050), Presence::absent), 0U);
    EXPECT_THROW(place.head(), StoreError);
  };
  {
    const auto place = open(false);
    ASSERT_EQ(count(*place, names(5000, 5050), Presence::absent), 50U);
    ask({"DEL", "f"});
    all_unknown(*place);
    ask({"SET", "f", whole.substr(0, whole.size() - 1)});
    all_unknown(*place);
    ask({"SET", "f", whole.substr(0, 4096)});
    all_unknown(*place);
    ask({"SET", "f", std::string(whole.size(), '\0')});
    all_unknown(*place);
    ask({"DEL", "f"});
    ask({"LPUSH", "f", "x"});
    all_unknown(*place);
    ask({"SET", "f", whole});
    EXPECT_EQ(count(*place, names(5000, 5050), Presence::absent), 50U) << "it is the same again";
  }
  for (const std::size_t at : {0, 8, 9, 10, 12, 16, 24, 40, 60, 70, 80}) {
    const auto place = open(false);
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    ask({"SET", "f", damaged});
    all_unknown(*place);
    ask({"SET", "f", whole});
  }
}

TEST_F(NativePlaceTest, AFilterThatTookItsPlaceIsUnknownUntilItIsOpenedAgain) {
  load_keys(0, 100);
  const auto place = open();
  load_keys(200, 300, {.old = OldFilter::drop});
  EXPECT_EQ(count(*place, names(5000, 5050), Presence::unknown), 50U);
  EXPECT_EQ(count(*open(), names(5000, 5050), Presence::absent), 50U);
  insert(*place, {"k7"});
  EXPECT_EQ(count(*open(), {"k7"}, Presence::maybe), 1U) << "an insert is in the one that is there";
  // A filter of another size has other bits.
  load_keys(0, 10, {.old = OldFilter::drop}, 0.1);
  EXPECT_THROW(insert(*place, {"k8"}), StoreError);
  EXPECT_EQ(count(*place, names(5000, 5050), Presence::unknown), 50U);
}

TEST_F(NativePlaceTest, NoBitIsSetInAStringThatIsNotTheFilterThatWasOpened) {
  load_keys(0, 10, {}, 0.1);
  const std::string smaller = bytes();
  load_keys(0, 10, {.old = OldFilter::drop}, 1e-6);
  const std::string whole = bytes();
  std::string cut = whole;
  cut.pop_back();
  std::string other = whole;  // as long, and of another geometry
  other[16] = static_cast<char>(other[16] ^ 1);
  const auto texts = names(100, 300);
  const std::vector<Key> keys(texts.begin(), texts.end());
  for (const std::string& there : {smaller, cut, other, std::string("text")}) {
    ask({"SET", "f", whole});
    const auto place = open();
    const auto follower = open();
    PlaceHead head = follower->head();
    ask({"SET", "f", there});
    EXPECT_THROW(place->insert_many(keys), StoreError);
    EXPECT_EQ(bytes(), there);
    EXPECT_THROW(follower->insert_and_advance(keys, head, {.source = {1, 2}, .position = 1}),
                 StoreError);
    EXPECT_EQ(bytes(), there);
  }
}

TEST_F(NativePlaceTest, AnInsertIntoNothingThrowsAndLeavesNothing) {
  load_keys(0, 100);
  const auto place = open();
  ask({"DEL", "f"});
  EXPECT_THROW(insert(*place, {"k8"}), StoreError);
  EXPECT_EQ(ask({"EXISTS", "f"}).number, 0);
}

TEST_F(NativePlaceTest, AnOlderDumpOfTheSameFilterIsNoticedByItsLastBits) {
  load_keys(0, 100);
  const std::string before = bytes();
  const auto place = open();
  insert(*place, {"later"});
  ask({"SET", "f", before});
  EXPECT_EQ(count(*place, {"later"}, Presence::absent), 0U);
}

TEST_F(NativePlaceTest, NothingButAFilterIsDestroyed) {
  ask({"RPUSH", "f", "somebody's"});
  EXPECT_THROW(destroy_native(*client_), StoreError);
  EXPECT_EQ(ask({"LLEN", "f"}).number, 1);
  ask({"DEL", "f"});
  ask({"SET", "f", "somebody's"});
  EXPECT_THROW(destroy_native(*client_), StoreError);
  EXPECT_EQ(bytes(), "somebody's");
  ask({"DEL", "f"});
  EXPECT_FALSE(destroy_native(*client_));
}

TEST_F(NativePlaceTest, TheLeastRightsSuffice) {
  load_keys(0, 100);
  ask({"ACL", "SETUSER", "reader", "on", "nopass", "~f", "+multi", "+exec", "+echo", "+role",
       "+strlen", "+getrange", "+bitfield_ro"});
  setenv("BLOOMERY_TEST_READER", "any", 1);
  const std::string user = at("?user=reader&password_env=BLOOMERY_TEST_READER");
  const auto reader = open_native_place(user, false);
  EXPECT_EQ(count(*reader, names(5000, 5050), Presence::absent), 50U);
  ask({"ACL", "SETUSER", "reader", "+bitfield", "+eval", "+setrange"});
  const auto writer = open_native_place(user, true);
  insert(*writer, {"x"});
  EXPECT_TRUE(writer->advance(writer->head(), {.source = {1, 2}, .position = 1}));
}

// A replica hands on what its primary had: it is asked only where somebody says so.
TEST_F(NativePlaceTest, AReplicaIsAskedOnlyIfAllowed) {
  load_keys(0, 100);
  ask({"REPLICAOF", "127.0.0.1", "1"});
  EXPECT_EQ(count(*open_native_place(at(), false), names(5000, 5050), Presence::unknown), 50U);
  const auto allowed = open_native_place(at("?replica=1"), false);
  EXPECT_EQ(count(*allowed, names(5000, 5050), Presence::absent), 50U);
  ask({"REPLICAOF", "NO", "ONE"});
}

// Bits beyond would be set elsewhere.
TEST(NativeHead, OfALongerStringThanAServerHasByItselfIsRefused) {
  for (const std::uint64_t mebibytes : {500ULL, 512ULL, 5000ULL}) {
    FileHeader header;
    header.contents.parameters = make_filter(FilterKind::classic, {.capacity = 100}).parameters();
    header.contents.parameters.geometry.bit_count = mebibytes * 1024 * 1024 * 8;
    const auto encoded = encode_head(header);
    const std::string head(reinterpret_cast<const char*>(encoded.data()), encoded.size());
    const std::uint64_t bytes =
        FileLayout::of(0, header.contents.parameters.geometry.bit_count).file_bytes;
    if (mebibytes < 512) {
      EXPECT_EQ(read_native_head(head, bytes).header.layout.file_bytes, bytes);
    } else {
      EXPECT_THROW(read_native_head(head, bytes), FormatError);
    }
  }
}

TEST_F(NativePlaceTest, NeverDeniesAKeyWhileOthersExchangeTheFilter) {
  load_keys(0, 1000);
  const auto place = open(false);
  std::atomic<bool> stop = false;
  std::thread exchanger([&] {
    Client own(parse_location(at()));
    AnyFilter filter = make_filter(FilterKind::blocked,
                                   {.capacity = 1000, .false_positive_rate = 0.001, .seed = 7});
    for (const std::string& each : names(0, 1000)) filter.insert(Key(each));
    const AnyFilter empty = make_filter(
        FilterKind::blocked, {.capacity = 1000, .false_positive_rate = 0.001, .seed = 7});
    for (int i = 0; i < 20; ++i) {
      // The filters that others put there do not have these keys; none of their bits may be taken
      // for ours.
      load_native(own, i % 2 == 0 ? empty.contents() : filter.contents(), {.old = OldFilter::drop});
    }
    stop = true;
  });
  std::size_t denied = 0;
  while (!stop) denied += count(*place, names(0, 1000), Presence::absent);
  exchanger.join();
  EXPECT_EQ(denied, 0U);
}

}  // namespace
}  // namespace bloomery::redis
