// Filters of our own in a string of a server.

#include "bloomery/redis/native_place.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "bloomery/filter/filter_kinds.h"
#include "bloomery/redis/native_load.h"
#include "bloomery/store/mapped_filter.h"
#include "bloomery/store/native_file.h"
#include "tests/redis/native_server_fixture.h"
#include "tests/store/scratch_folder.h"
#include "tests/support/proxy.h"

namespace bloomery::redis {
namespace {

class NativePlaceTest : public NativeServerTest {
 protected:
  static std::unique_ptr<FilterPlace> open(bool writes = true) {
    return open_native_place(at(), writes);
  }
  void load_keys(int from, int to, const BulkOptions& options = {}, double rate = 0.001,
                 FilterKind kind = FilterKind::blocked) {
    AnyFilter filter =
        make_filter(kind, {.capacity = 1000, .false_positive_rate = rate, .seed = 7});
    for (int i = from; i < to; ++i) filter.insert(Key("k" + std::to_string(i)));
    load_native(*client_, filter.contents(), options);
  }
};

std::vector<std::string> names(int from, int to) {
  std::vector<std::string> all;
  for (int i = from; i < to; ++i) all.push_back("k" + std::to_string(i));
  return all;
}

std::size_t count(FilterPlace& place, const std::vector<std::string>& texts, Presence wanted,
                  const CallContext& context = {}) {
  const std::vector<Key> keys(texts.begin(), texts.end());
  std::vector<Presence> answers(keys.size(), Presence::unknown);
  place.presence_of_many(keys, answers, context);
  return static_cast<std::size_t>(std::ranges::count(answers, wanted));
}

void insert(FilterPlace& place, const std::vector<std::string>& texts) {
  const std::vector<Key> keys(texts.begin(), texts.end());
  place.insert_many(keys);
}

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

  // And SET of a file makes a filter, whose checksums are looked at.
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
  // One of another size has other bits.
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

// Two followers after a failover: what each has done since is no step of the other's.
TEST_F(NativePlaceTest, NoTwoStepsAreTheSame) {
  const Watermark one{.source = {1, 2}, .position = 1};
  load_keys(0, 10);
  const auto place = open();
  PlaceHead first = place->head();
  ASSERT_TRUE(place->advance(first, one));
  PlaceHead second = first = place->head();
  const std::string before = bytes();
  ASSERT_TRUE(place->insert_and_advance({}, first, one));
  ask({"SET", "f", before});
  ASSERT_TRUE(open()->insert_and_advance({}, second, one));
  EXPECT_FALSE(place->insert_and_advance({}, first, {.source = {1, 2}, .position = 2}));
}

// A thousand lines are a transaction; several are one trip, and each begins where the one before
// has ended.
TEST_F(NativePlaceTest, AStepOfManyKeysIsOneTripAndStopsWhereSomebodyWas) {
  load_keys(0, 10);
  const auto place = open();
  const auto texts = names(0, 2'500);
  const std::vector<Key> keys(texts.begin(), texts.end());
  PlaceHead head = place->head();
  const PlaceHead before = head;
  const Watermark one{.source = {1, 2}, .position = 1};
  ASSERT_TRUE(place->insert_and_advance(keys, head, one));
  EXPECT_EQ(count(*place, texts, Presence::maybe), texts.size());
  EXPECT_EQ(place->head().watermark, one);
  EXPECT_EQ(place->head().beat, head.beat);
  PlaceHead old = before;
  EXPECT_FALSE(place->insert_and_advance(keys, old, {.source = {1, 2}, .position = 2}));
  EXPECT_EQ(place->head().watermark, one);
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

TEST_F(NativePlaceTest, ReplacingKeepsWhatIsThereAndItsIdentity) {
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
TEST_F(NativePlaceTest, NoLoadKeepsADamagedFile) {
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

// Its watermark says more than the new one has.
TEST_F(NativePlaceTest, AFilterThatIsLostWhileItIsReplacedIsNotBroughtBackByItsName) {
  load_keys(0, 1000);
  const auto reload = [&] {
    load_keys(0, 10, {.old = OldFilter::keep, .progress = [&](auto...) { ask({"DEL", "f"}); }});
  };
  EXPECT_THROW(reload(), StoreError);
  EXPECT_EQ(ask({"DBSIZE"}).number, 0) << "and nothing is beside";
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

TEST_F(NativePlaceTest, NobodyTakesSettingsThatSayNothing) {
  const AnyFilter filter = make_filter(FilterKind::blocked, {.capacity = 10});
  for (const char* const setting : {"?partition=4", "?trailer=1", "?bits=64"}) {
    Client client(parse_location(at(setting)));
    EXPECT_THROW(load_native(client, filter.contents(), {}), std::invalid_argument);
    EXPECT_THROW(destroy_native(client), std::invalid_argument);
    EXPECT_THROW(open_native_place(at(setting), false), std::invalid_argument);
  }
  EXPECT_EQ(ask({"DBSIZE"}).number, 0);
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

TEST_F(NativePlaceTest, KeepsNothingThatForgetsOrGrows) {
  for (const FilterKind kind : {FilterKind::counting, FilterKind::scalable, FilterKind::windowed}) {
    EXPECT_THROW(load_keys(0, 0, {}, 0.01, kind), std::invalid_argument);
  }
  EXPECT_EQ(ask({"EXISTS", "f"}).number, 0);
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

TEST_F(NativePlaceTest, BehindAFenceOnlyTheWatermarkCounts) {
  load_keys(0, 100);
  const auto place = open();
  const Watermark at{.source = {1, 2}, .position = 50};
  const Fence fence{.at_least = at};
  const CallContext behind{.fence = &fence};
  EXPECT_EQ(count(*place, names(5000, 5050), Presence::unknown, behind), 50U);

  PlaceHead head = place->head();
  EXPECT_FALSE(head.watermark);
  const PlaceHead first = head;
  const std::string key = "row 50";
  const Key keys[] = {key};
  ASSERT_TRUE(place->insert_and_advance(keys, head, at));
  EXPECT_EQ(head.watermark, at);
  EXPECT_EQ(place->head().watermark, at);
  EXPECT_EQ(count(*place, names(5000, 5050), Presence::absent, behind), 50U);
  EXPECT_EQ(count(*open(false), {key}, Presence::maybe, behind), 1U);
  const Fence higher{.at_least = {.source = {1, 2}, .position = 51}};
  const Fence other{.at_least = {.source = {1, 3}, .position = 50}};
  for (const Fence* each : {&higher, &other}) {
    EXPECT_EQ(count(*place, names(5000, 5050), Presence::unknown, {.fence = each}), 50U);
  }

  // Who comes with what was true before is refused, and moves nothing.
  PlaceHead old = first;
  EXPECT_FALSE(place->insert_and_advance(keys, old, {.source = {1, 2}, .position = 70}));
  EXPECT_FALSE(place->advance(first, {.source = {1, 2}, .position = 70}));
  EXPECT_EQ(open(false)->head().watermark, at);
  EXPECT_TRUE(place->advance(head, {.source = {1, 2}, .position = 70}));
  EXPECT_EQ(place->head().watermark->position, 70U);

  // It stays through an exchange that keeps all.
  load_keys(0, 10, {.old = OldFilter::keep});
  EXPECT_EQ(place->head().watermark->position, 70U);
}

// A copy takes several trips; what comes back meanwhile is not taken for what was there.
TEST_F(NativePlaceTest, ACopyBehindAFenceHasAllThatIsBelowIt) {
  const AnyFilter filter = make_filter(
      FilterKind::blocked, {.capacity = 2'000'000, .false_positive_rate = 0.001, .seed = 7});
  load_native(*client_, filter.contents(), {});
  const auto place = open();
  PlaceHead head = place->head();
  ASSERT_TRUE(place->insert_and_advance({}, head, {.source = {1, 2}, .position = 1}));
  ask({"COPY", "f", "old"});
  const std::vector<std::string> rows = names(0, 200);
  const std::vector<Key> keys(rows.begin(), rows.end());
  const Fence fence{.at_least = {.source = {1, 2}, .position = 2}};
  ASSERT_TRUE(place->insert_and_advance(keys, head, fence.at_least));
  ask({"COPY", "f", "new"});
  std::jthread failing([&](const std::stop_token& stop) {
    Client other(parse_location(at()));
    while (!stop.stop_requested()) {
      for (const char* each : {"old", "new"}) {
        other.run(Request().add({"COPY", each, "f", "REPLACE"}), Repeat::never);
      }
    }
  });
  int lost = 0;
  for (int i = 0; i < 5; ++i) {
    try {
      const AnyFilter copy = open(false)->copy({.fence = &fence});
      for (const Key row : keys) lost += copy.may_contain(row) ? 0 : 1;
    } catch (const StoreError&) {  // it was seen
    }
  }
  EXPECT_EQ(lost, 0);
  failing.request_stop();
  failing.join();
  const AnyFilter copy = open(false)->copy({.fence = &fence});
  for (const Key row : keys) EXPECT_TRUE(copy.may_contain(row));
  ask({"COPY", "old", "f", "REPLACE"});
  EXPECT_THROW(open(false)->copy({.fence = &fence}), StoreError);
}

TEST_F(NativePlaceTest, AFenceIsNotReachedByAnOlderDump) {
  load_keys(0, 0);
  const auto place = open();
  PlaceHead head = place->head();
  ASSERT_TRUE(place->insert_and_advance({}, head, {.source = {1, 2}, .position = 1}));
  const std::string before = bytes();
  const std::string key = "row 2";
  const Key keys[] = {key};
  ASSERT_TRUE(place->insert_and_advance(keys, head, {.source = {1, 2}, .position = 2}));
  const Fence fence{.at_least = {.source = {1, 2}, .position = 2}};
  ask({"SET", "f", before});  // as a failover or RESTORE leaves it
  EXPECT_EQ(count(*open(false), {key}, Presence::unknown, {.fence = &fence}), 1U);
  // Nobody puts the next watermark above a body that lacks this one's keys.
  const auto again = open();
  EXPECT_FALSE(again->insert_and_advance({}, head, {.source = {1, 2}, .position = 3}));
}

// What a follower does at once where an older copy was put back; and a slow line is in the midst of
// a question all that time.
TEST_F(NativePlaceTest, AFenceIsNotReachedByAnOlderDumpThatIsCarriedUpAgain) {
  load_keys(0, 0);
  const auto place = open();
  PlaceHead head = place->head();
  ASSERT_TRUE(place->insert_and_advance({}, head, {.source = {1, 2}, .position = 1}));
  ask({"COPY", "f", "old"});
  const auto texts = names(0, 2000);
  const std::vector<Key> keys(texts.begin(), texts.end());
  const Fence fence{.at_least = {.source = {1, 2}, .position = 2}};
  ASSERT_TRUE(place->insert_and_advance(keys, head, fence.at_least));

  std::atomic<int> pieces = -100;  // of the question
  const testing::Proxy proxy(
      socket(), [](std::string&, std::mt19937&) { return true; },
      [&] {
        const int piece = ++pieces;
        if (piece == 2) ask({"COPY", "old", "f", "REPLACE"});
        if (piece != 3) return;
        const auto follower = open();
        PlaceHead found = follower->head();
        EXPECT_EQ(found.watermark->position, 1U);
        EXPECT_TRUE(follower->insert_and_advance(keys, found, fence.at_least));
      });
  const auto reader = open_native_place(
      "redis://127.0.0.1:" + std::to_string(proxy.port()) + "?timeout=20000#f", false);
  pieces = 0;
  EXPECT_EQ(count(*reader, texts, Presence::absent, {.fence = &fence}), 0U);
  EXPECT_GT(pieces, 3);
  EXPECT_EQ(count(*reader, texts, Presence::maybe, {.fence = &fence}), 2000U);
}

TEST_F(NativePlaceTest, EachTransactionOfAStepTakesABeat) {
  load_keys(0, 0);
  const auto place = open();
  PlaceHead head = place->head();
  const auto texts = names(0, 5000);  // several transactions
  const std::vector<Key> keys(texts.begin(), texts.end());
  ASSERT_TRUE(place->insert_and_advance(keys, head, {.source = {1, 2}, .position = 9}));
  EXPECT_GT(head.beat, 1U) << "a server that loses one takes none of the next";
  EXPECT_EQ(head.watermark->position, 9U);
  EXPECT_EQ(count(*place, texts, Presence::maybe), 5000U);
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
      // What others have there is no filter of these keys; none of its bits may be taken for ours.
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
