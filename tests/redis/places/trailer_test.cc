// SPDX-License-Identifier: Apache-2.0
// Identity and watermark behind the last bit of another system's bitmap.

#include "bloomery/redis/places/trailer.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "bloomery/redis/places/bitmap_place.h"
#include "bloomery/redis/places/bulk_load.h"
#include "tests/format/foreign_vectors.h"
#include "tests/store/scratch_folder.h"
#include "tests/support/golden.h"
#include "tests/support/redis_server.h"

namespace bloomery::redis {
namespace {

using nlohmann::json;
using testing::RedisServer;

constexpr Identity kDatabase{.high = 3, .low = 4};
const Watermark kOne{kDatabase, 1};
const Watermark kTwo{kDatabase, 2};

FilterParameters parameters_of(std::uint64_t bits) {
  return {.kind = FilterKind::gozero, .geometry = {.bit_count = bits, .probe_count = 14}};
}

TEST(TrailerBytes, AreWhatTheySayAndNothingElse) {
  const FilterParameters parameters = parameters_of(20'001);
  EXPECT_EQ(trailer_offset(parameters), 2'501U);
  Trailer trailer{.keys = {.encoding = KeyEncoding::i64}};
  trailer.notes.identity = Identity::random();
  trailer.notes.step(kTwo);
  const std::string bytes = trailer_bytes(trailer, parameters);
  ASSERT_EQ(bytes.size(), kTrailerBytes);
  const auto read = read_trailer(bytes, parameters);
  ASSERT_TRUE(read);
  EXPECT_TRUE(read->notes.stand_at(trailer.notes.identity, kTwo, 1));
  EXPECT_EQ(read->keys, trailer.keys);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::string damaged = bytes;
    damaged[i] = static_cast<char>(damaged[i] ^ 1);
    EXPECT_FALSE(read_trailer(damaged, parameters)) << i;
    EXPECT_FALSE(read_trailer(bytes.substr(0, i), parameters));
    EXPECT_FALSE(is_trailer_at(damaged, 2'501)) << i;
    EXPECT_FALSE(is_trailer_at(bytes.substr(0, i), 2'501));
  }
  EXPECT_TRUE(is_trailer_at(bytes, 2'501));
  EXPECT_FALSE(is_trailer_at(bytes, 2'500));
  EXPECT_FALSE(read_trailer(bytes, parameters_of(20'000)));
  EXPECT_FALSE(read_trailer(std::string(kTrailerBytes, '\0'), parameters));
  trailer.notes.identity = {};
  EXPECT_FALSE(read_trailer(trailer_bytes(trailer, parameters), parameters));
}

// Starts one server for all tests; each test has it empty.
class TrailerTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (RedisServer::is_installed()) shared_ = new Shared;
  }
  static void TearDownTestSuite() {
    delete shared_;
    shared_ = nullptr;
  }
  void SetUp() override {
    if (shared_ == nullptr) GTEST_SKIP() << "no redis-server here";
    client_ = std::make_unique<Client>(parse_location(at("bits=20000&trailer=1")));
    ask({"FLUSHALL"});
  }

  static std::string at(const std::string& settings, const std::string& key = "f") {
    return "redis+unix://" + shared_->server.socket() + "?" + settings + "#" + key;
  }
  static std::unique_ptr<FilterPlace> open(bool writes = true,
                                           const std::string& settings = "bits=20000&trailer=1") {
    return open_bitmap_place(*find_format("gozero"), at(settings), writes);
  }
  // An empty one, as a follower begins.
  void make(const BulkOptions& options = {}) {
    const Format& format = *find_format("gozero");
    const AnyFilter empty = format.create({.capacity = 500}, {{"bits", "20000"}});
    bulk_load(*client_, format, empty.contents(), options);
  }
  Reply ask(std::initializer_list<std::string_view> words) {
    const Answer answer = client_->run(Request().add(words), Repeat::never);
    return require_done(answer.replies.at(0), client_->location());
  }

  struct Shared {
    testing::ScratchFolder folder;
    RedisServer server{folder.path().string()};
  };
  static Shared* shared_;
  std::unique_ptr<Client> client_{};
};

TrailerTest::Shared* TrailerTest::shared_ = nullptr;

TEST_F(TrailerTest, IsMovedWithItsKeysAndProvesThemBehindAFence) {
  make({.watermark = kOne});
  const auto place = open();
  PlaceHead head = place->head();
  EXPECT_TRUE(head.identity.is_set());
  EXPECT_EQ(head.watermark, kOne);
  const PlaceHead before = head;
  const Fence one{kOne};
  const Fence two{kTwo};
  EXPECT_EQ(place->presence_of("out"), Presence::absent) << "no trust is needed";
  EXPECT_EQ(place->presence_of("row", {.fence = &one}), Presence::absent);
  EXPECT_EQ(place->presence_of("row", {.fence = &two}), Presence::unknown);
  EXPECT_THROW(place->copy({.fence = &two}), StoreError);
  const std::string dump = ask({"DUMP", "f"}).text;

  const Key keys[] = {"row"};
  ASSERT_TRUE(place->insert_and_advance(keys, head, kTwo));
  EXPECT_FALSE(place->insert_and_advance(keys, head = before, kTwo)) << "somebody was there";
  EXPECT_EQ(place->presence_of("row", {.fence = &two}), Presence::maybe);
  EXPECT_EQ(place->presence_of("out", {.fence = &two}), Presence::absent);
  EXPECT_TRUE(place->copy({.fence = &two}).may_contain("row"));

  // An older copy has an older watermark, whoever looks.
  ask({"RESTORE", "f", "0", dump, "REPLACE"});
  EXPECT_EQ(place->presence_of("row", {.fence = &two}), Presence::unknown);
  EXPECT_EQ(open(false)->presence_of("row", {.fence = &two}), Presence::unknown);
  // Inserts more bits than one transaction has: each is a step, and the last one moves the
  // watermark.
  std::vector<std::string> many;
  for (int i = 0; i < 2'500; ++i) many.push_back("many" + std::to_string(i));
  const auto again = open();
  head = again->head();
  const std::uint64_t beat = head.beat;
  ASSERT_TRUE(again->insert_and_advance(std::vector<Key>(many.begin(), many.end()), head, kTwo));
  EXPECT_NE(head.beat, beat);
  EXPECT_EQ(open(false)->head().watermark, kTwo);
}

TEST_F(TrailerTest, NoBitIsSetInABitmapThatIsNotTheOneThatWasOpened) {
  make();
  const auto place = open();
  PlaceHead head = place->head();
  const std::string whole = ask({"GET", "f"}).text;
  const AnyFilter small = find_format("gozero")->create({.capacity = 50}, {{"bits", "2000"}});
  Client client(parse_location(at("bits=2000&trailer=1")));
  ask({"DEL", "f"});
  bulk_load(client, *find_format("gozero"), small.contents(), {});
  const std::string smaller = ask({"GET", "f"}).text;
  const Key keys[] = {"row"};
  for (const std::string& there : {smaller, whole.substr(0, whole.size() - 1), std::string("x")}) {
    ask({"SET", "f", there});
    EXPECT_ANY_THROW(place->insert_many(keys));
    EXPECT_EQ(ask({"GET", "f"}).text, there);
    EXPECT_FALSE(open()->insert_and_advance(keys, head, kTwo));
    EXPECT_EQ(ask({"GET", "f"}).text, there);
  }
}

// Two followers after a failover: what each has done since is no step of the other's.
TEST_F(TrailerTest, NoTwoStepsAreTheSame) {
  make({.watermark = kOne});
  const std::string dump = ask({"DUMP", "f"}).text;
  const auto place = open();
  PlaceHead first = place->head();
  PlaceHead second = first;
  ASSERT_TRUE(place->insert_and_advance({}, first, kOne));
  ask({"RESTORE", "f", "0", dump, "REPLACE"});
  ASSERT_TRUE(open()->insert_and_advance({}, second, kOne));
  EXPECT_FALSE(place->insert_and_advance({}, first, kTwo));
}

// The answers and bits of go-zero's own program are those of a bitmap without a trailer.
TEST_F(TrailerTest, IsNotSeenByTheSystemThatHasTheBits) {
  const json each = golden::read("gozero.json")["filters"][0];
  const std::string bits = each["bits"].dump();
  const std::string settings = "trailer=1&bits=" + bits;
  const Format& format = *find_format("gozero");
  const std::string theirs = golden::bytes_of_base64(each["string_b64"].get<std::string>());
  Client client(parse_location(at(settings)));
  bulk_load(client, format, format.decode(golden::bytes_of(theirs), {{"bits", bits}}).contents(),
            {});
  const std::uint64_t size = (each["bits"].get<std::uint64_t>() + 7) / 8;
  EXPECT_EQ(ask({"GET", "f"}).text.substr(0, theirs.size()), theirs);
  EXPECT_EQ(ask({"STRLEN", "f"}).number, static_cast<std::int64_t>(size + kTrailerBytes));
  const auto place = open(true, settings);
  PlaceHead head = place->head();
  // Programs of the other system add on, and know nothing of the trailer.
  ask({"SETBIT", "f", "0", "1"});
  ask({"SETBIT", "f", std::to_string(each["bits"].get<int>() - 1), "1"});
  EXPECT_TRUE(place->advance(head, kOne));
  const Fence one{kOne};
  EXPECT_EQ(place->presence_of("no such", {.fence = &one}), Presence::absent);
  EXPECT_EQ(place->copy().contents().parameters.geometry.bit_count, each["bits"]);
  // A reader that knows nothing of trailers says that the bitmap is not of that size.
  const auto plain = open(false, "trust=bits&bits=" + bits);
  EXPECT_EQ(plain->presence_of("no such"), Presence::unknown);
  EXPECT_THROW(plain->head(), StoreError);
}

// A string of the same length may be another filter, or something else.
TEST_F(TrailerTest, WhatHasNoneOfTheSameSizeIsNotCleared) {
  const BulkOptions clears{.old = OldFilter::clear};
  make({.watermark = kOne});
  const Identity identity = open(false)->head().identity;
  make(clears);
  const PlaceHead cleared = open(false)->head();
  EXPECT_TRUE(cleared.identity.is_set());
  EXPECT_FALSE(cleared.identity == identity || cleared.watermark);

  const std::string whole = ask({"GET", "f"}).text;
  std::string other = whole;
  other[whole.size() - 80 + 8] ^= 1;  // of its m
  for (const std::string& each : {other, std::string(whole.size(), 'x')}) {
    ask({"SET", "f", each});
    EXPECT_THROW(make(clears), StoreError);
    EXPECT_EQ(ask({"GET", "f"}).text, each);
  }
}

TEST_F(TrailerTest, IsLostWithTheBitsThatItSpeaksOf) {
  const Fence one{kOne};
  const std::vector<std::vector<std::string_view>> losses{
      {"DEL", "f"},
      {"SET", "f", "\1"},
      {"SETRANGE", "f", "2530", "x"},
      {"RENAME", "other", "f"},
  };
  const std::string others(2'580, '\1');
  for (const auto& loss : losses) {
    make({.old = OldFilter::drop, .watermark = kOne});
    ask({"SET", "other", others});
    const auto place = open();
    PlaceHead head = place->head();
    const Key keys[] = {"in"};
    ASSERT_TRUE(place->insert_and_advance(keys, head, kOne));
    client_->run(Request().add(loss), Repeat::never);
    ask({"SETBIT", "f", "7", "1"});  // somebody adds a key
    const auto reader = open(false);
    for (FilterPlace* const asked : {place.get(), reader.get()}) {
      EXPECT_NE(asked->presence_of("in", {.fence = &one}), Presence::absent) << loss[0];
      EXPECT_NE(asked->presence_of("in"), Presence::absent) << loss[0];
    }
    const bool moved = [&] {
      try {
        return place->insert_and_advance(keys, head, kTwo);
      } catch (const StoreError&) {
        return false;
      }
    }();
    EXPECT_FALSE(moved) << loss[0];
    const PlaceHead after = open(false)->head();
    EXPECT_FALSE(after.identity.is_set() || after.watermark) << loss[0];
    EXPECT_EQ(after.no_absent, NoAbsent::bits_alone);
  }
}

TEST_F(TrailerTest, IsNoneAfterALoadThatKeepsWhatWasThere) {
  make({.watermark = kOne});
  const auto place = open();
  place->insert("in");
  const PlaceHead before = place->head();
  make({.old = OldFilter::keep});
  const PlaceHead after = open()->head();
  EXPECT_TRUE(after.identity.is_set());
  EXPECT_NE(after.identity, before.identity);
  EXPECT_EQ(after.watermark, std::nullopt);
  EXPECT_EQ(open()->presence_of("in"), Presence::maybe);
  EXPECT_EQ(place->presence_of("out"), Presence::unknown) << "another than was opened";
}

// Keys of another form are other bytes, and another size has other bits: they would be "absent"
// behind the new trailer.
TEST_F(TrailerTest, NoLoadKeepsAFilterOfAnotherFormOrSize) {
  const Format& format = *find_format("gozero");
  const auto load = [&](const KeyForm& form, OldFilter old, const std::string& settings) {
    AnyFilter empty = format.create({.capacity = 500}, {{"bits", settings.substr(5, 5)}});
    empty.set_keys(form);
    Client client(parse_location(at(settings)));
    bulk_load(client, format, empty.contents(), {.old = old});
  };
  const std::string usual = "bits=20000&trailer=1";
  make();
  open()->insert("in");
  const std::string whole = ask({"GET", "f"}).text;
  const KeyForm numbers{.encoding = KeyEncoding::i64};
  EXPECT_THROW(load(numbers, OldFilter::keep, usual), StoreError);
  EXPECT_THROW(load(numbers, OldFilter::keep, usual + "&trust=bits"), StoreError);
  EXPECT_THROW(load(kUnknownForm, OldFilter::keep, "bits=19999&trailer=1"), StoreError)
      << "as many bytes";
  EXPECT_EQ(ask({"GET", "f"}).text, whole);
  load(kUnknownForm, OldFilter::keep, usual);
  EXPECT_EQ(open()->presence_of("in"), Presence::maybe);
  load(numbers, OldFilter::drop, usual);
  EXPECT_EQ(open()->head().parameters.keys, numbers);
}

// The place would take its own bitmap for another that has come since, and deny nothing ever after.
TEST_F(TrailerTest, IsNotOpenedUnseen) {
  make();
  shared_->server.send(SIGSTOP);
  EXPECT_THROW(open(false, "bits=20000&trailer=1&timeout=50"), TimeoutError);
  shared_->server.send(SIGCONT);
  EXPECT_EQ(open(false)->presence_of("out"), Presence::absent);
}

TEST_F(TrailerTest, OfAConfiguredFilterStandsWithItsConfiguration) {
  const Format& redisson = *find_format("redisson");
  Client client(parse_location(at("trailer=1", "r")));
  bulk_load(client, redisson, redisson.create({.capacity = 100}, {}).contents(),
            {.watermark = kOne});
  const auto place = open_bitmap_place(redisson, at("trailer=1", "r"), true);
  PlaceHead head = place->head();
  ASSERT_TRUE(place->advance(head, kTwo));
  head = place->head();
  ask({"HSET", "{r}:config", "hashIterations", "3"});
  EXPECT_THROW(place->advance(head, {kDatabase, 3}), StoreError);
  const Fence two{kTwo};
  EXPECT_EQ(place->presence_of("out", {.fence = &two}), Presence::unknown);
  const std::string text = ask({"GET", "r"}).text;
  EXPECT_EQ(text.substr(text.size() - kTrailerBytes, 8), "BLMYTRL1");
}

TEST_F(TrailerTest, IsRefusedWhereItCannotBe) {
  EXPECT_THROW(open(false, "bits=4294967296&trailer=1"), std::invalid_argument);
  EXPECT_THROW(open(false, "bits=20000&trailer=2"), std::invalid_argument);
  EXPECT_THROW(open_bitmap_place(*find_format("php"), at("size_kb=1&trailer=1"), false),
               std::invalid_argument);
}

}  // namespace
}  // namespace bloomery::redis
