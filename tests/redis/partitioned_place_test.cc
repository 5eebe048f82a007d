// Filters of our own in several strings of a server; cluster_test.cc has them over several nodes.

#include "bloomery/redis/partitioned_place.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <functional>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bloomery/filter/filter_kinds.h"
#include "bloomery/redis/hash_slot.h"
#include "bloomery/redis/native_load.h"
#include "bloomery/redis/partition_keys.h"
#include "tests/store/scratch_folder.h"
#include "tests/support/proxy.h"
#include "tests/support/redis_server.h"
#include "tests/support/run_threads.h"

namespace bloomery::redis {
namespace {

using testing::RedisServer;

constexpr std::uint32_t kParts = 4;

std::vector<std::string> texts_of(int from, int to) {
  std::vector<std::string> all;
  for (int i = from; i < to; ++i) all.push_back("k" + std::to_string(i));
  return all;
}

AnyFilter filter_of(int from, int to, double rate = 0.001, FilterKind kind = FilterKind::blocked) {
  AnyFilter filter = make_filter(kind, {.capacity = 2000, .false_positive_rate = rate, .seed = 7});
  for (const std::string& each : texts_of(from, to)) filter.insert(Key(each));
  return filter;
}

std::vector<Presence> answers_to(FilterPlace& place, const std::vector<std::string>& texts,
                                 const CallContext& context = {}) {
  const std::vector<Key> keys(texts.begin(), texts.end());
  std::vector<Presence> answers(keys.size(), Presence::unknown);
  place.presence_of_many(keys, answers, context);
  return answers;
}

std::size_t count_of(FilterPlace& place, const std::vector<std::string>& texts, Presence wanted,
                     const CallContext& context = {}) {
  const auto answers = answers_to(place, texts, context);
  return static_cast<std::size_t>(std::ranges::count(answers, wanted));
}

void insert_texts(FilterPlace& place, const std::vector<std::string>& texts) {
  const std::vector<Key> keys(texts.begin(), texts.end());
  place.insert_many(keys);
}

TEST(PartitionKeys, SpreadEvenlyOverTheSlots) {
  for (const std::uint32_t count : {2U, 3U, 64U, kMostParts}) {
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::string key = partition_key("users", i, count);
      ASSERT_TRUE(key.starts_with("users:{") && key.ends_with("}:" + std::to_string(i))) << key;
      ASSERT_EQ(hash_slot(key) * count / kHashSlots, i) << key;
    }
  }
  EXPECT_THROW(partition_key("a{b}", 0, 4), std::invalid_argument);
}

TEST(PartitionKeys, OfTheirOwnAbove32MiB) {
  FilterParameters parameters{.kind = FilterKind::blocked};
  parameters.geometry.bit_count = 32ULL * 1024 * 1024 * 8;
  EXPECT_EQ(partitions_for(parameters, std::nullopt, "f"), 1U);
  parameters.geometry.bit_count += 512;
  EXPECT_EQ(partitions_for(parameters, std::nullopt, "f"), 2U);
  EXPECT_EQ(partitions_for(parameters, 1, "f"), 1U);
  EXPECT_EQ(partitions_for(parameters, 48, "f"), 48U);
  parameters.geometry.bit_count = 1ULL << 50;
  EXPECT_EQ(partitions_for(parameters, std::nullopt, "f"), kMostParts);
  parameters.geometry.bit_count = 10 * 512;
  EXPECT_THROW(partitions_for(parameters, 11, "f"), std::invalid_argument);
  parameters.kind = FilterKind::classic;
  EXPECT_THROW(partitions_for(parameters, 2, "f"), std::invalid_argument);
}

// One server for all; each test has it empty.
class PartitionedPlaceTest : public ::testing::Test {
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
    client_ = std::make_unique<Client>(parse_location(at("partitions=4")));
    ask({"FLUSHALL"});
  }

  static std::string at(const std::string& settings = "") {
    return "redis+unix://" + shared_->server.socket() + (settings.empty() ? "" : "?" + settings) +
           "#f";
  }
  static std::unique_ptr<FilterPlace> open(bool writes = true) {
    return open_native_place(at(), writes);
  }
  Reply ask(std::initializer_list<std::string_view> words) {
    const Answer answer = client_->run(Request().add(words), Repeat::never);
    return require_done(answer.replies.at(0), client_->location());
  }
  void load_keys(int from, int to, const BulkOptions& options = {}, double rate = 0.001) {
    load_native(*client_, filter_of(from, to, rate).contents(), options);
  }
  static std::string part(std::uint32_t i) { return partition_key("f", i, kParts); }

  struct Shared {
    testing::ScratchFolder folder;
    RedisServer server{folder.path().string()};
  };
  static Shared* shared_;
  std::unique_ptr<Client> client_{};
};

PartitionedPlaceTest::Shared* PartitionedPlaceTest::shared_ = nullptr;

TEST_F(PartitionedPlaceTest, AnswersAsTheFilterThatWasPutThere) {
  for (const double rate : {0.01, 1e-6}) {  // one line a key, and two
    load_keys(0, 2000, {.old = OldFilter::drop}, rate);
    EXPECT_EQ(ask({"DBSIZE"}).number, 1 + kParts);
    const AnyFilter same = filter_of(0, 2000, rate);
    const auto place = open(false);
    EXPECT_EQ(count_of(*place, texts_of(0, 2000), Presence::maybe), 2000U);
    const auto texts = texts_of(2000, 6000);
    const auto answers = answers_to(*place, texts);
    for (std::size_t i = 0; i < texts.size(); ++i) {
      ASSERT_EQ(answers[i], same.may_contain(Key(texts[i])) ? Presence::maybe : Presence::absent);
    }
    EXPECT_EQ(place->presence_of("k7"), Presence::maybe);
    const AnyFilter copy = place->copy();
    EXPECT_TRUE(std::ranges::equal(copy.contents().words.front(), same.contents().words.front()));
    EXPECT_EQ(copy.inserted(), same.inserted());
    EXPECT_EQ(place->head().parameters.geometry, same.geometry());
  }
}

TEST_F(PartitionedPlaceTest, InsertsTellWhatIsNewAndEverybodySeesIt) {
  for (const double rate : {0.01, 1e-6}) {
    load_keys(0, 0, {.old = OldFilter::drop}, rate);
    const auto place = open();
    const auto texts = texts_of(0, 1000);
    const std::vector<Key> keys(texts.begin(), texts.end());
    std::vector<Inserted> outcomes(1000);
    place->insert_many(keys, outcomes);
    EXPECT_GE(std::ranges::count(outcomes, Inserted::added), 985);
    place->insert_many(keys, outcomes);
    EXPECT_EQ(std::ranges::count(outcomes, Inserted::present), 1000);
    EXPECT_EQ(count_of(*open(false), texts, Presence::maybe), 1000U);
    EXPECT_TRUE(std::ranges::equal(place->copy().contents().words.front(),
                                   filter_of(0, 1000, rate).contents().words.front()));
  }
}

TEST_F(PartitionedPlaceTest, ABatchThatIsInsertedIsOneTripWhateverPartsItFallsInto) {
  load_keys(0, 0);
  const auto place = open();
  PlaceHead head = place->head();
  long before = 0;
  const auto trips = [&] {
    const std::string info = ask({"INFO", "stats"}).text;
    const std::string name = "total_reads_processed:";
    const long now = std::stol(info.substr(info.find(name) + name.size()));
    return now - std::exchange(before, now) - 1;
  };
  trips();
  insert_texts(*place, texts_of(0, 40));
  EXPECT_EQ(trips(), 1);
  const auto texts = texts_of(40, 80);
  const std::vector<Key> keys(texts.begin(), texts.end());
  const Watermark next{{.high = 1, .low = 2}, 7};
  EXPECT_TRUE(place->insert_and_advance(keys, head, next));
  EXPECT_EQ(trips(), 1);
  EXPECT_EQ(head.watermark, next);
  const Fence fence{next};
  EXPECT_EQ(count_of(*place, texts, Presence::maybe, {.fence = &fence}), 40U);
  EXPECT_EQ(place->presence_of("stranger", {.fence = &fence}), Presence::absent);
  // A part that is gone is told, the others have their keys, and nothing is left of what was set.
  ask({"DEL", part(1), part(2)});
  EXPECT_THROW(insert_texts(*place, texts_of(80, 120)), StoreError);
  EXPECT_EQ(ask({"EXISTS", part(1), part(2)}).number, 0);
}

TEST_F(PartitionedPlaceTest, SaysNothingOfAPartThatIsGone) {
  load_keys(0, 1000);
  const auto place = open();
  const auto texts = texts_of(0, 4000);
  const auto before = answers_to(*place, texts);
  ask({"DEL", part(1)});
  const auto after = answers_to(*place, texts);
  std::size_t unknown = 0;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (after[i] == Presence::unknown) {
      ++unknown;
    } else {
      ASSERT_EQ(after[i], before[i]) << "other parts are unharmed";
    }
  }
  EXPECT_NEAR(static_cast<double>(unknown), 1000, 150) << "a fourth";
  EXPECT_FALSE(place->head().watermark) << "who writes makes it anew";
  EXPECT_THROW(place->copy(), StoreError);
  EXPECT_THROW(insert_texts(*place, texts), StoreError);
  EXPECT_EQ(ask({"EXISTS", part(1)}).number, 0) << "and no insert begins it anew";

  // One of another part's bytes, or of another filter's, is none either.
  const std::size_t absent = count_of(*place, texts, Presence::absent);
  ask({"COPY", part(2), part(1)});
  EXPECT_EQ(count_of(*place, texts, Presence::absent), absent);
}

TEST_F(PartitionedPlaceTest, WithTwoLinesAKeyTheLineThatIsLeftIsEnough) {
  load_keys(0, 2000, {}, 1e-6);
  const auto place = open(false);
  ask({"DEL", part(3)});
  EXPECT_EQ(count_of(*place, texts_of(0, 2000), Presence::absent), 0U);
  // A fourth of the second lines is gone; the first of most strangers has a clear bit.
  EXPECT_GT(count_of(*place, texts_of(10'000, 12'000), Presence::absent), 1950U);
}

// Anybody may put another filter there then, of other partitions, and these are nobody's.
TEST_F(PartitionedPlaceTest, WithoutItsIndexItDeniesNothingAndTakesNothing) {
  const auto texts = texts_of(0, 2000);
  for (const char* const partitions : {"partitions=1", "partitions=6"}) {
    ask({"FLUSHALL"});
    load_keys(0, 1000);
    const auto place = open();
    PlaceHead head = place->head();
    const Watermark next{{.high = 1, .low = 2}, 7};
    const auto expect_lost = [&] {
      EXPECT_EQ(count_of(*place, texts, Presence::absent), 0U);
      EXPECT_GE(count_of(*place, texts, Presence::maybe), 1000U) << "what is in may be told";
      EXPECT_EQ(place->presence_of("stranger"), Presence::unknown);
      EXPECT_THROW(insert_texts(*place, texts_of(3000, 3001)), StoreError);
      EXPECT_THROW(insert_texts(*place, texts_of(3000, 4000)), StoreError);
      EXPECT_THROW(place->insert_and_advance({}, head, next), StoreError);
      EXPECT_FALSE(place->head().watermark) << "who follows makes it anew";
      EXPECT_THROW(place->copy(), StoreError);
    };
    ask({"DEL", "f"});
    expect_lost();
    Client other(parse_location(at(partitions)));
    load_native(other, filter_of(5000, 5100).contents(), {});
    expect_lost();
    EXPECT_EQ(count_of(*open(), texts_of(5000, 5100), Presence::maybe), 100U);
  }
}

TEST_F(PartitionedPlaceTest, AReloadWhoseIndexIsLostMeanwhileSaysSo) {
  load_keys(0, 100);
  const auto reload = [&] {
    load_keys(100, 200, {.old = OldFilter::keep, .progress = [&](auto...) { ask({"DEL", "f"}); }});
  };
  EXPECT_THROW(reload(), StoreError);
}

TEST_F(PartitionedPlaceTest, IsReadByNobodyBeforeAllPartsAreThere) {
  load_keys(0, 1000);
  const std::string index = ask({"GET", "f"}).text;
  ask({"DEL", "f"});
  EXPECT_THROW(open(false), StoreError);
  const std::string location = at();
  EXPECT_THROW(open_native_place(location.substr(0, location.find('#')) + "#" +
                                     part(0).substr(0, part(0).find('{')) + "%7B" +
                                     part(0).substr(part(0).find('{') + 1),
                                 false),
               std::exception)
      << "a part is no filter";
  // What a load left that did not end is told, and not taken for anything.
  EXPECT_THROW(load_keys(0, 1000), StoreError);
  EXPECT_THROW(load_keys(0, 1000, {.old = OldFilter::keep}), StoreError);
  EXPECT_TRUE(destroy_native(*client_));
  EXPECT_EQ(ask({"DBSIZE"}).number, 0);

  // The parts of another load behind an index: all unknown.
  load_keys(0, 1000);
  ask({"SET", "f", index});
  const auto place = open(false);
  EXPECT_EQ(count_of(*place, texts_of(0, 2000), Presence::absent), 0U);
  EXPECT_THROW(place->head(), StoreError);
  EXPECT_THROW(load_keys(0, 1000, {.old = OldFilter::keep}), StoreError);
}

TEST_F(PartitionedPlaceTest, AReloadKeepsWhatIsThereUnlessTold) {
  load_keys(0, 1000);
  EXPECT_THROW(load_keys(0, 10), StoreError);
  const auto place = open();
  const Identity identity = place->head().identity;
  insert_texts(*place, texts_of(1000, 1100));
  std::uint64_t done = 0;
  load_keys(1100, 1500,
            {.old = OldFilter::keep, .progress = [&](std::uint64_t at, std::uint64_t of) {
               EXPECT_LE(at, of);
               done = std::max(done, at);
             }});
  EXPECT_GT(done, 0U);
  EXPECT_EQ(count_of(*place, texts_of(0, 1500), Presence::maybe), 1500U);
  EXPECT_EQ(place->head().identity, identity);

  // Of another size only where what is there may go; and its parts go with it.
  EXPECT_THROW(load_keys(0, 10, {.old = OldFilter::keep}, 0.2), StoreError);
  load_keys(2000, 2010, {.old = OldFilter::drop}, 0.2);
  EXPECT_EQ(count_of(*place, texts_of(3000, 3100), Presence::unknown), 100U);
  EXPECT_EQ(ask({"DBSIZE"}).number, 1 + kParts);
  Client other(parse_location(at("partitions=6")));
  load_native(other, filter_of(0, 10).contents(), {.old = OldFilter::drop});
  EXPECT_EQ(ask({"DBSIZE"}).number, 1 + 6);
  EXPECT_EQ(count_of(*open(), texts_of(0, 10), Presence::maybe), 10U);
  EXPECT_THROW(open_native_place(at("partitions=4"), false), StoreError);
  // And of one string, and back.
  Client one(parse_location(at("partitions=1")));
  load_native(one, filter_of(0, 10).contents(), {.old = OldFilter::drop});
  EXPECT_EQ(ask({"DBSIZE"}).number, 1);
  EXPECT_EQ(count_of(*open(), texts_of(0, 10), Presence::maybe), 10U);
  EXPECT_THROW(load_keys(0, 10, {.old = OldFilter::keep}), StoreError);
  load_keys(0, 10, {.old = OldFilter::drop});
  EXPECT_EQ(ask({"DBSIZE"}).number, 1 + kParts);
  open()->destroy();
  EXPECT_EQ(ask({"DBSIZE"}).number, 0);
}

// Also in strings that were not there before; the key beside a string has an hour, not ten.
TEST_F(PartitionedPlaceTest, AReloadKeepsTheTimeToLiveOfTheWholeFilter) {
  const auto reload = [&](std::uint32_t parts) {
    Client client(parse_location(at("partitions=" + std::to_string(parts))));
    load_native(client, filter_of(0, 10).contents(), {.old = OldFilter::drop});
  };
  constexpr std::int64_t kHour = 3'600'000;
  const auto expect_lives = [&](std::uint32_t parts, std::int64_t from, std::int64_t to) {
    std::vector<std::string> keys{"f"};
    for (std::uint32_t i = 0; parts > 1 && i < parts; ++i) {
      keys.push_back(partition_key("f", i, parts));
    }
    ASSERT_EQ(ask({"DBSIZE"}).number, static_cast<std::int64_t>(keys.size()));
    for (const std::string& each : keys) {
      const std::int64_t left = ask({"PTTL", each}).number;
      EXPECT_TRUE(from <= left && left <= to) << each << " of " << parts << ": " << left;
    }
  };
  load_keys(0, 100);
  expect_lives(kParts, -1, -1);
  ask({"PEXPIRE", "f", std::to_string(10 * kHour)});
  for (std::uint32_t i = 0; i < kParts; ++i) {
    ask({"PEXPIRE", part(i), std::to_string(10 * kHour)});
  }
  for (const std::uint32_t parts : {kParts, 6U, 1U, kParts}) {
    reload(parts);
    expect_lives(parts, 9 * kHour, 10 * kHour);
  }
  load_keys(10, 20, {.old = OldFilter::keep});
  expect_lives(kParts, 9 * kHour, 10 * kHour);
  ask({"FLUSHALL"});
  reload(kParts);
  reload(6);
  expect_lives(6, -1, -1);
}

// A part may have been lost, and its key taken by somebody else.
TEST_F(PartitionedPlaceTest, AReloadRemovesNothingButThePartsOfItsFilter) {
  load_keys(0, 100);
  ask({"SET", part(1), "somebody's"});
  ask({"DEL", part(2)});
  ask({"RPUSH", part(2), "somebody's"});
  Client other(parse_location("redis+unix://" + shared_->server.socket() + "#g"));
  load_native(other, filter_of(0, 10).contents(), {});
  ask({"COPY", "g", part(3), "REPLACE"});  // a filter, but no part of that one
  Client one(parse_location(at("partitions=1")));
  load_native(one, filter_of(0, 10).contents(), {.old = OldFilter::drop});
  EXPECT_EQ(ask({"EXISTS", part(0)}).number, 0);
  EXPECT_EQ(ask({"GET", part(1)}).text, "somebody's");
  EXPECT_EQ(ask({"LLEN", part(2)}).number, 1);
  EXPECT_EQ(ask({"EXISTS", part(3)}).number, 1);
}

TEST_F(PartitionedPlaceTest, ClearsNothingButTheFilterThatItHasSeen) {
  const AnyFilter empty = filter_of(0, 0);
  const auto clear = [&](const std::function<void()>& meanwhile = {}) {
    bool is_first = true;
    load_native(*client_, empty.contents(),
                {.old = OldFilter::clear, .progress = [&](std::uint64_t, std::uint64_t) {
                   if (std::exchange(is_first, false) && meanwhile) meanwhile();
                 }});
  };
  const auto expect_whole = [&](int keys) {
    EXPECT_EQ(count_of(*open(false), texts_of(0, keys), Presence::maybe), keys);
    EXPECT_EQ(ask({"DBSIZE"}).number, 1 + kParts) << "and nothing is beside";
  };
  EXPECT_THROW(clear(), StoreError) << "nothing is there";
  load_keys(0, 1000);
  const Identity identity = open()->head().identity;
  clear();
  EXPECT_EQ(count_of(*open(false), texts_of(0, 1000), Presence::maybe), 0U);
  EXPECT_FALSE(open()->head().identity == identity);
  insert_texts(*open(), texts_of(0, 100));
  expect_whole(100);

  EXPECT_THROW(clear([&] { load_keys(0, 500, {.old = OldFilter::drop}); }), StoreError);
  expect_whole(500);
  EXPECT_THROW(clear([&] { ask({"FLUSHALL"}); }), StoreError);
  EXPECT_EQ(ask({"DBSIZE"}).number, 0);
  load_keys(0, 500);
  EXPECT_THROW(clear([&] { clear(); }), StoreError) << "another one was faster";
  insert_texts(*open(), texts_of(0, 100));
  expect_whole(100);
  ask({"SET", part(2), "somebody's"});
  EXPECT_THROW(clear(), StoreError);
  EXPECT_EQ(ask({"GET", part(2)}).text, "somebody's");
  EXPECT_EQ(count_of(*open(false), texts_of(0, 100), Presence::absent), 0U);
}

// Who took the first part last gets all.
TEST_F(PartitionedPlaceTest, OfTwoDiscardingLoadsAtOnceOneIsWhole) {
  load_keys(0, 10);
  for (int round = 0; round < 20; ++round) {
    std::atomic<int> failed = 0;
    run_threads(2, [&](int i) {
      Client client(client_->location());
      try {
        load_native(client, filter_of(1000 * i, 1000 * i + 500).contents(),
                    {.old = OldFilter::drop});
      } catch (const StoreError&) {
        ++failed;
      }
    });
    EXPECT_LT(failed, 2);
    const auto place = open(false);
    const auto first = count_of(*place, texts_of(0, 500), Presence::maybe);
    const auto second = count_of(*place, texts_of(1000, 1500), Presence::maybe);
    EXPECT_TRUE(first == 500 || second == 500) << first << " and " << second;
    EXPECT_EQ(count_of(*place, texts_of(0, 500), Presence::unknown), 0U);
    EXPECT_EQ(ask({"DBSIZE"}).number, 1 + kParts);
  }
}

// Whoever puts his index in the place of another one removes what that one had.
TEST_F(PartitionedPlaceTest, OfDiscardingLoadsInOtherPartitionsNoneIsLeft) {
  load_keys(0, 10);
  load_keys(0, 500, {.old = OldFilter::drop, .progress = [&](auto...) {
                       Client client(parse_location(at("partitions=2")));
                       load_native(client, filter_of(1000, 1500).contents(),
                                   {.old = OldFilter::drop});
                     }});
  EXPECT_EQ(count_of(*open(false), texts_of(0, 500), Presence::maybe), 500U);
  EXPECT_EQ(ask({"DBSIZE"}).number, 1 + kParts);

  // Also where one string takes the place of what came while it was sent.
  Client one(parse_location(at("partitions=1")));
  load_native(one, filter_of(1000, 1500).contents(),
              {.old = OldFilter::drop,
               .progress = [&](auto...) { load_keys(0, 500, {.old = OldFilter::drop}); }});
  EXPECT_EQ(ask({"DBSIZE"}).number, 1);
  EXPECT_EQ(count_of(*open(false), texts_of(1000, 1500), Presence::maybe), 500U);

  for (int round = 0; round < 20; ++round) {
    run_threads(2, [&](int i) {
      Client client(parse_location(at("partitions=" + std::to_string(2 + i))));
      load_native(client, filter_of(1000 * i, 1000 * i + 500).contents(), {.old = OldFilter::drop});
    });
    const auto place = open(false);
    const bool is_first = count_of(*place, texts_of(0, 500), Presence::maybe) == 500;
    EXPECT_EQ(ask({"DBSIZE"}).number, is_first ? 3 : 4);
    EXPECT_EQ(count_of(*place, texts_of(1000, 1500), Presence::maybe) == 500, !is_first);
  }
}

// All partitions are asked, but not each for as long as a call may take.
TEST_F(PartitionedPlaceTest, OpeningTakesNoLongerThanACallWhereNobodyAnswers) {
  load_keys(0, 10);
  shared_->server.send(SIGSTOP);
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_THROW(open_native_place(at("partitions=4&timeout=400"), false), ConnectionError);
  const auto took = std::chrono::steady_clock::now() - begin;
  shared_->server.send(SIGCONT);
  EXPECT_LT(took, std::chrono::milliseconds(1'200)) << "five calls take 2,000";
}

TEST_F(PartitionedPlaceTest, AnIndexThatIsSomebodyElsesStays) {
  ask({"RPUSH", "f", "somebody's"});
  EXPECT_THROW(load_keys(0, 100, {.old = OldFilter::drop}), StoreError);
  EXPECT_EQ(ask({"LLEN", "f"}).number, 1);
  EXPECT_EQ(ask({"DBSIZE"}).number, 1) << "nothing is beside";
  ask({"DEL", "f"});
  ask({"SET", "f", "somebody's"});
  EXPECT_THROW(load_keys(0, 100, {.old = OldFilter::drop_if_filter}), StoreError);
  EXPECT_EQ(ask({"GET", "f"}).text, "somebody's");
  load_keys(0, 100, {.old = OldFilter::drop});  // its caller said so
  EXPECT_EQ(count_of(*open(false), texts_of(0, 100), Presence::maybe), 100U);
}

// Each part's own head proves its lines.
TEST_F(PartitionedPlaceTest, AFenceIsNotReachedByAnOlderDumpThatIsCarriedUpAgain) {
  load_keys(0, 0);
  const auto place = open();
  PlaceHead head = place->head();
  ASSERT_TRUE(place->insert_and_advance({}, head, {.source = {1, 2}, .position = 1}));
  for (std::uint32_t i = 0; i < kParts; ++i) ask({"COPY", part(i), part(i) + "old"});
  const auto texts = texts_of(0, 3000);
  const std::vector<Key> keys(texts.begin(), texts.end());
  const Fence fence{.at_least = {.source = {1, 2}, .position = 2}};
  ASSERT_TRUE(place->insert_and_advance(keys, head, fence.at_least));

  std::atomic<int> pieces = -100;  // of the question
  const testing::Proxy proxy(
      shared_->server.socket(), [](std::string&, std::mt19937&) { return true; },
      [&] {
        const int piece = ++pieces;
        for (std::uint32_t i = 0; piece == 2 && i < kParts; ++i) {
          ask({"COPY", part(i) + "old", part(i), "REPLACE"});
        }
        if (piece != 3) return;
        const auto follower = open();
        PlaceHead found = follower->head();
        EXPECT_TRUE(follower->insert_and_advance(keys, found, fence.at_least));
      });
  const auto reader = open_native_place(
      "redis://127.0.0.1:" + std::to_string(proxy.port()) + "?timeout=20000#f", false);
  pieces = 0;
  EXPECT_EQ(count_of(*reader, texts, Presence::absent, {.fence = &fence}), 0U);
  EXPECT_GT(pieces, 3);
  EXPECT_EQ(count_of(*reader, texts, Presence::maybe, {.fence = &fence}), 3000U);
}

TEST_F(PartitionedPlaceTest, ALoadThatCannotEndLeavesTheIndex) {
  load_keys(0, 100);
  ask({"DEL", part(kParts - 1)});
  ask({"RPUSH", part(kParts - 1), "somebody's"});
  EXPECT_THROW(load_keys(0, 200, {.old = OldFilter::drop}), StoreError);
  EXPECT_GT(count_of(*open(false), texts_of(0, 100), Presence::maybe), 0U);
  EXPECT_EQ(ask({"LLEN", part(kParts - 1)}).number, 1);
  EXPECT_EQ(ask({"DBSIZE"}).number, 1 + kParts) << "nothing is beside";
}

// A part that cannot be watched is written by a script, as ever.
TEST_F(PartitionedPlaceTest, AStepOfManyKeysOfEachPartSetsThemWithoutAScript) {
  AnyFilter same = filter_of(0, 0);
  load_native(*client_, same.contents(), {});
  const auto place = open();
  const auto all = texts_of(0, 6000);
  const std::vector<Key> keys(all.begin(), all.end());
  PlaceHead head = place->head();
  const auto has_called = [&](const std::string& command) {
    const std::string stats = ask({"INFO", "commandstats"}).text;
    return stats.find("cmdstat_" + command + ":") != std::string::npos;
  };
  ask({"CONFIG", "RESETSTAT"});
  const Identity source = Identity::random();
  ASSERT_TRUE(place->insert_and_advance(std::span(keys).first(3000), head, {source, 5}));
  EXPECT_TRUE(has_called("watch"));
  EXPECT_FALSE(has_called("eval"));
  EXPECT_EQ(open()->head().watermark, (Watermark{source, 5}));

  ask({"EXPIRE", part(2), "1000"});
  ASSERT_TRUE(place->insert_and_advance(std::span(keys).subspan(3000), head, {source, 6}));
  EXPECT_TRUE(has_called("eval")) << "of the part that expires";
  EXPECT_EQ(open()->head().watermark, (Watermark{source, 6}));
  same.insert_many(keys);
  const AnyFilter there = open()->copy();
  EXPECT_TRUE(std::ranges::equal(there.contents().words.front(), same.contents().words.front()));
}

TEST_F(PartitionedPlaceTest, EachPartHasAWatermarkAndTheLowestCounts) {
  load_keys(0, 100);
  const auto place = open();
  PlaceHead head = place->head();
  EXPECT_FALSE(head.watermark);
  const Identity source = Identity::random();
  const auto texts = texts_of(100, 200);
  const std::vector<Key> keys(texts.begin(), texts.end());
  ASSERT_TRUE(place->insert_and_advance(keys, head, {source, 5}));
  EXPECT_EQ(head.watermark, (Watermark{source, 5}));
  EXPECT_EQ(open()->head().watermark, (Watermark{source, 5}));
  EXPECT_EQ(count_of(*place, texts, Presence::maybe), 100U);
  const Fence reached{{source, 5}};
  const Fence ahead{{source, 6}};
  const auto strangers = texts_of(3000, 4000);
  EXPECT_GT(count_of(*place, strangers, Presence::absent, {.fence = &reached}), 980U);
  EXPECT_EQ(count_of(*place, strangers, Presence::absent, {.fence = &ahead}), 0U);

  // Who has another head does not move it.
  const auto other = open();
  PlaceHead theirs = other->head();
  ASSERT_TRUE(other->advance(theirs, {source, 6}));
  EXPECT_FALSE(place->advance(head, {source, 7}));
  head = place->head();
  EXPECT_EQ(head.watermark, (Watermark{source, 6}));
  ASSERT_TRUE(place->advance(head, {source, 7}));

  // An old dump of one part is behind, and that part alone.
  const Reply dump = ask({"DUMP", part(2)});
  head = place->head();
  ASSERT_TRUE(place->insert_and_advance(keys, head, {source, 8}));
  ask({"RESTORE", part(2), "0", dump.text, "REPLACE"});
  EXPECT_EQ(place->head().watermark, (Watermark{source, 7}));
  EXPECT_EQ(std::ranges::count(place->watermarks(), Watermark{source, 8}), kParts - 1)
      << "by which the others deny";
  std::uint64_t filters = place->told(Telling::filters).filters;
  count_of(*place, strangers, Presence::absent);
  EXPECT_EQ(place->told(Telling::filters).filters, filters);

  // One that was not there when all were looked at is another one when it is.
  ask({"RENAME", part(2), "away"});
  place->watermarks();
  EXPECT_EQ(place->told(Telling::filters).filters, filters);
  ask({"RENAME", "away", part(2)});
  count_of(*place, strangers, Presence::absent);
  EXPECT_NE(place->told(Telling::filters).filters, filters);
  const Fence now{{source, 8}};
  EXPECT_NEAR(static_cast<double>(count_of(*place, strangers, Presence::unknown, {.fence = &now})),
              250, 80);
  EXPECT_FALSE(place->advance(head, {source, 9})) << "keys have to be sent again";
}

}  // namespace
}  // namespace bloomery::redis
