// Filters that their server asks itself: bf: and bloom:.

#include "bloomery/redis/item_place.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "bloomery/filter/fence_source.h"
#include "bloomery/guard/fenced_place.h"
#include "bloomery/place/open_place.h"
#include "tests/cli/shell.h"
#include "tests/module/server_client.h"
#include "tests/place/place_contract.h"
#include "tests/support/proxy.h"
#include "tests/support/run_threads.h"

namespace bloomery {
namespace {

using redis::Dialect;
using ::testing::HasSubstr;
using testing::ModuleServer;
using testing::ModuleTest;
using testing::Outcome;
using testing::Shell;

class ItemPlaces : public ModuleTest {
 protected:
  void SetUp() override {
    ModuleTest::SetUp();
    if (IsSkipped()) return;
    server_ = std::make_unique<ModuleServer>(folder());
  }
  std::string at(const std::string& settings = "") const {
    return "redis+unix://" + server_->socket() + settings + "#f";
  }
  std::unique_ptr<FilterPlace> open(Dialect dialect, const std::string& settings = "") const {
    return redis::open_item_place(dialect, at(settings), true, false);
  }
  void create() const {
    redis::Client client(redis::parse_location(at()));
    redis::create_items(client, 1'000, 0.001);
  }

  std::unique_ptr<ModuleServer> server_{};
};

std::vector<Presence> answers_about(FilterPlace& place, const std::vector<Key>& keys) {
  std::vector<Presence> answers(keys.size(), Presence::unknown);
  place.presence_of_many(keys, answers);
  return answers;
}

TEST_F(ItemPlaces, WithMarkersSayAbsent) {
  create();
  const auto place = open(Dialect::bf);
  const std::vector<Key> keys{"a", "b", "a"};
  std::vector<Inserted> outcomes(3);
  place->insert_many(keys, outcomes);
  EXPECT_EQ(outcomes, (std::vector{Inserted::added, Inserted::added, Inserted::present}));
  EXPECT_EQ(answers_about(*place, {"a", "c"}), (std::vector{Presence::maybe, Presence::absent}));
  EXPECT_EQ(place->head().no_absent, NoAbsent::none);
  EXPECT_GE(place->head().parameters.capacity, 1'000U);
  const Fence fence{{{.high = 1, .low = 1}, 1}};
  EXPECT_EQ(place->presence_of("c", {.fence = &fence}), Presence::unknown);
  EXPECT_THROW(create(), StoreError) << "the key is taken";
}

TEST_F(ItemPlaces, WithoutMarkersSayAbsentOnlyWhereTheyAreTrusted) {
  server_->ask("BF.RESERVE f 0.001 1000");
  server_->ask("BF.ADD f a");
  EXPECT_EQ(answers_about(*open(Dialect::bf), {"a", "c"}),
            (std::vector{Presence::maybe, Presence::unknown}));
  EXPECT_EQ(open(Dialect::bf)->head().no_absent, NoAbsent::without_markers);
  EXPECT_EQ(open(Dialect::bf, "?trust=bits")->presence_of("c"), Presence::absent);
}

// As BF.ADD makes it, after an eviction: with one item.
TEST_F(ItemPlaces, AFilterThatWasBegunAnewSaysNothingIsAbsent) {
  create();
  const auto open_before = open(Dialect::bf);
  open_before->insert("a");
  server_->ask("DEL f");
  EXPECT_EQ(open_before->presence_of("a"), Presence::unknown);
  EXPECT_THROW(open_before->insert("b"), StoreError);
  EXPECT_EQ(server_->ask("EXISTS f"), ":0") << "an insert makes no filter";
  server_->ask("BF.ADD f b");
  EXPECT_EQ(open_before->presence_of("a"), Presence::unknown);
  EXPECT_EQ(open(Dialect::bf)->presence_of("a"), Presence::unknown) << "opened after that";
  EXPECT_THROW(open(Dialect::bf)->head(), StoreError);
}

TEST_F(ItemPlaces, WithoutMarkersALossIsNoticedWhileOpen) {
  for (const Dialect dialect : {Dialect::bf, Dialect::bloom}) {
    server_->ask("DEL f");
    server_->ask("BLOOM.RESERVE f 0.001 1000");
    const auto place = open(dialect, dialect == Dialect::bf ? "?trust=bits" : "");
    place->insert_many(std::vector<Key>{"a", "b"});
    ASSERT_EQ(place->presence_of("c"), Presence::absent);
    server_->ask("DEL f");
    server_->ask("BLOOM.RESERVE f 0.001 1000");
    server_->ask("BLOOM.MADD f c d e");
    EXPECT_EQ(place->presence_of("a"), Presence::unknown);
    EXPECT_EQ(place->presence_of("x"), Presence::unknown);
  }
}

TEST_F(ItemPlaces, OfOurModuleKnowAMissingFilterFromAnAbsentItem) {
  server_->ask("BLOOM.RESERVE f 0.001 1000");
  const auto place = open(Dialect::bloom);
  EXPECT_EQ(place->presence_of("a"), Presence::absent);
  place->insert("a");
  EXPECT_EQ(place->presence_of("a"), Presence::maybe);
  EXPECT_EQ(place->head().inserted, 1U);
  EXPECT_EQ(place->head().parameters.false_positive_rate, 0.001);
  server_->ask("DEL f");
  EXPECT_EQ(place->presence_of("b"), Presence::unknown);
  EXPECT_THROW(place->insert("b"), StoreError);
  EXPECT_EQ(server_->ask("EXISTS f"), ":0");
  server_->ask("BLOOM.RESERVE f 0.001 1000 WINDOW 60");
  EXPECT_THROW(open(Dialect::bloom), std::invalid_argument) << "it forgets";
}

TEST_F(ItemPlaces, OtherTypesReplicasAndFullFiltersSayNothingIsAbsent) {
  server_->ask("SET f text");
  EXPECT_EQ(open(Dialect::bf, "?trust=bits")->presence_of("a"), Presence::unknown);
  EXPECT_EQ(open(Dialect::bloom)->presence_of("a"), Presence::unknown);
  server_->ask("DEL f");
  server_->ask("BF.RESERVE f 0.001 1 NONSCALING");
  const auto full = open(Dialect::bf, "?trust=bits");
  full->insert("a");
  EXPECT_THROW(full->insert_many(std::vector<Key>{"b", "c", "d"}), StoreError);
  server_->ask("REPLICAOF 127.0.0.1 1");
  EXPECT_EQ(open(Dialect::bf, "?trust=bits")->presence_of("x"), Presence::unknown);
}

TEST_F(ItemPlaces, ABatchIsOneTripAndLargeOnesAreCut) {
  create();
  const auto place = open(Dialect::bf);
  std::vector<std::string> texts;
  for (int i = 0; i < 12'000; ++i) texts.push_back("key" + std::to_string(i));
  const std::vector<Key> keys(texts.begin(), texts.end());
  server_->ask("CONFIG RESETSTAT");
  place->insert_many(keys);
  const std::string stats = server_->ask("INFO commandstats");
  EXPECT_NE(stats.find("cmdstat_exec:calls=2,"), std::string::npos) << stats;
  for (const Presence answer : answers_about(*place, keys)) ASSERT_EQ(answer, Presence::maybe);
}

TEST_F(ItemPlaces, SingleQuestionsOfManyThreadsShareTrips) {
  create();
  for (const Dialect dialect : {Dialect::bf, Dialect::bloom}) {
    const auto place = open(dialect);
    place->insert("in");
    server_->ask("CONFIG RESETSTAT");
    run_threads(32, [&](int t) {
      for (int i = 0; i < 20; ++i) {
        EXPECT_EQ(place->presence_of("in"), Presence::maybe);
        EXPECT_EQ(place->presence_of("out" + std::to_string(t)), Presence::absent);
      }
    });
    const std::string stats = server_->ask("INFO commandstats");
    const std::string exec = "cmdstat_exec:calls=";
    EXPECT_LT(std::stoi(stats.substr(stats.find(exec) + exec.size())), 32 * 40 / 2) << stats;
  }
}

TEST_F(ItemPlaces, TheCommandTakesThem) {
  const Shell shell;
  const std::string place = " 'bf:" + at() + "' ";
  const std::string ours = " 'bloom:" + at() + "' ";
  ASSERT_EQ(shell.run("bloomery create -n 1000 -p 0.001" + place).status, 0);
  EXPECT_EQ(shell.run("bloomery create -n 1000 -p 0.001" + place).status, 2);
  EXPECT_EQ(shell.run("bloomery insert" + place, "a\nb\n").status, 0);
  for (const std::string& each : {place, ours}) {
    const Outcome checked = shell.run("bloomery check" + each, "a\nc\n");
    EXPECT_EQ(checked.out, "a\n") << checked.err;
    EXPECT_EQ(checked.status, 0);
    EXPECT_EQ(shell.run("bloomery info --json" + each).json().at("says_absent"), true);
    EXPECT_EQ(shell.run("bloomery load --as text -n 9 -" + each, "a\n").status, 2) << "it is there";
    EXPECT_EQ(shell.run("bloomery explain" + each + "a").status, 2);
  }
  EXPECT_EQ(shell.run("bloomery destroy --yes" + place).status, 0);
  EXPECT_EQ(server_->ask("DBSIZE"), ":0");
  const Outcome gone = shell.run("bloomery check" + place, "a\n");
  EXPECT_EQ(gone.status, 2);
  EXPECT_EQ(gone.out, "") << "nobody knows how its keys were written";
}

// Who asks otherwise asks for other bytes.
TEST_F(ItemPlaces, KeysAreWrittenAsTheServersFilterSays) {
  const std::string file = (std::filesystem::path(folder()) / "i.bloom").string();
  const std::string socket = "redis+unix://" + server_->socket() + "#f";
  const Shell shell;
  ASSERT_EQ(shell.run("bloomery create --as i64 -n 100 -p 0.001 " + file).status, 0);
  ASSERT_EQ(shell.run("bloomery insert " + file, "42\n").status, 0);
  ASSERT_EQ(shell.run("bloomery push " + file + " '" + socket + "'").status, 0);
  for (const std::string& dialect : std::vector<std::string>{"bloom:", "bf:"}) {
    const std::string at =
        " '" + dialect + (dialect == "bf:" ? this->at("?trust=bits") : socket) + "' ";
    EXPECT_EQ(shell.run("bloomery check" + at, "42\n43\n").out, "42\n");
    EXPECT_EQ(shell.run("bloomery check --as text" + at, "42\n").status, 2);
    EXPECT_EQ(shell.run("bloomery info --json" + at).json().at("keys"), "i64");
  }
  EXPECT_EQ(shell.run("bloomery insert 'bloom:" + socket + "'", "77\n").status, 0);
  EXPECT_EQ(shell.run("bloomery check 'bloom:" + socket + "'", "77\n").status, 0);
  EXPECT_EQ(shell.run("bloomery insert --as text 'bloom:" + socket + "'", "77\n").status, 2);
}

// What a window forgets is no promise, whichever command asks.
TEST_F(ItemPlaces, TakeNothingThatForgetsByEitherCommand) {
  server_->ask("BLOOM.RESERVE f 0.01 100 WINDOW 60");
  EXPECT_THROW(open(Dialect::bloom), std::invalid_argument);
  EXPECT_THROW(open(Dialect::bf, "?trust=bits"), std::invalid_argument);
}

// A filter of our own kinds has a watermark, and keys that are its.
TEST_F(ItemPlaces, KeepTheContractOfPlacesWithAWatermark) {
  const auto opened = [&](bool writes) {
    return redis::open_item_place(Dialect::bloom, at(), writes, false);
  };
  testing::PlaceContract({.name = "bloom: of BLOOM.RESERVE",
                          .make =
                              [&] {
                                server_->ask("FLUSHALL");
                                server_->ask("BLOOM.RESERVE f 0.001 1000");
                                return opened(true);
                              },
                          .open = [&] { return opened(false); },
                          .has_watermark = true})
      .check_all();
}

// Of two that step from the same place one is refused the next step, whatever the server loses:
// where beats were counted, the other's step, put back, would be taken for its own.
TEST_F(ItemPlaces, TwoStepsFromTheSamePlaceEndAtDifferentBeats) {
  server_->ask("BLOOM.RESERVE f 0.001 1000");
  const auto first = open(Dialect::bloom);
  const auto second = open(Dialect::bloom);
  PlaceHead mine = first->head();
  PlaceHead theirs = mine;
  const std::string before = server_->call({"DUMP", "f"}).text;
  const Watermark at{.source = {3, 3}, .position = 5};
  const Key a[] = {"a"};
  const Key b[] = {"b"};
  ASSERT_TRUE(first->insert_and_advance(a, mine, at));
  EXPECT_EQ(first->head().beat, mine.beat);
  // A failover that loses it.
  ASSERT_EQ(server_->call({"RESTORE", "f", "0", before, "REPLACE"}).line, "+OK");
  ASSERT_TRUE(second->insert_and_advance(b, theirs, at));
  EXPECT_NE(mine.beat, theirs.beat);
  EXPECT_FALSE(open(Dialect::bloom)->advance(mine, {.source = {3, 3}, .position = 6}));
  EXPECT_TRUE(open(Dialect::bloom)->advance(theirs, {.source = {3, 3}, .position = 6}));
}

TEST_F(ItemPlaces, AQuestionTellsTheWatermarkInItsTrip) {
  server_->ask("BLOOM.RESERVE f 0.001 1000");
  const auto place = open(Dialect::bloom);
  PlaceHead head = place->head();
  ASSERT_TRUE(place->advance(head, {.source = {3, 3}, .position = 5}));
  server_->ask("CONFIG RESETSTAT");
  EXPECT_EQ(place->presence_of("out"), Presence::absent);
  EXPECT_THAT(place->told().watermarks, ::testing::ElementsAre(Watermark{{3, 3}, 5}));
  EXPECT_THAT(server_->ask("INFO commandstats"), HasSubstr("cmdstat_exec:calls=1,"));
}

// A failover to a replica that was not brought up to date yet.
TEST_F(ItemPlaces, AServerThatGoesBackToAnOlderModuleIsAskedAsThatKnows) {
  server_->ask("BLOOM.RESERVE f 0.001 1000");
  const Watermark at{.source = {3, 3}, .position = 5};
  PlaceHead head = open(Dialect::bloom)->head();
  ASSERT_TRUE(open(Dialect::bloom)->advance(head, at));
  // It knows no WATERMARK behind BLOOM.INFO.
  std::atomic<bool> is_old = false;
  const testing::Proxy proxy(server_->socket(), [&](std::string& bytes, std::mt19937&) {
    if (!is_old) return true;
    const std::string refusal = "-ERR wrong number of arguments for 'bloom.info' command\r\n";
    const std::string queued = "+QUEUED\r\n";
    std::size_t count = 0;
    std::size_t end = 0;
    for (std::size_t i = bytes.find(queued); i != bytes.npos; i = bytes.find(queued, end)) {
      ++count;
      end = i + queued.size();
    }
    if (count == 5) {
      bytes =
          bytes.substr(0, end - queued.size()) + refusal + "-EXECABORT Transaction discarded\r\n";
    } else if (const auto alone = bytes.find("*3\r\n$32"); count == 0 && alone != bytes.npos) {
      bytes = bytes.substr(0, alone) + refusal;
    }
    return true;
  });
  const auto place = redis::open_item_place(
      Dialect::bloom, "redis://127.0.0.1:" + std::to_string(proxy.port()) + "#f", true, false);
  const Fence reached{at};
  EXPECT_EQ(place->presence_of("out"), Presence::absent);
  is_old = true;
  EXPECT_EQ(place->presence_of("out"), Presence::absent);
  EXPECT_EQ(place->presence_of("out", {.fence = &reached}), Presence::absent);
  EXPECT_THAT(place->told().watermarks, ::testing::ElementsAre(at));
  // And forth again.
  const std::uint64_t filters = place->told(Telling::filters).filters;
  is_old = false;
  EXPECT_EQ(place->head().watermark, at);
  EXPECT_EQ(place->presence_of("out"), Presence::absent);
  EXPECT_NE(place->told(Telling::filters).filters, filters) << "it was not told meanwhile";
  server_->ask("CONFIG RESETSTAT");
  EXPECT_THAT(place->told().watermarks, ::testing::ElementsAre(at));
  EXPECT_THAT(server_->ask("INFO commandstats"), ::testing::Not(HasSubstr("cmdstat_BLOOM.INFO")));
}

// As a rebuild from a database with fewer rows leaves it: fewer items than the open place has seen.
TEST_F(ItemPlaces, AFilterThatWasRebuiltSmallerIsGoneOnWithBehindAFence) {
  const auto make = [&](const char* capacity, std::uint64_t position, std::vector<Key> keys) {
    server_->ask("DEL f");
    server_->ask(std::string("BLOOM.RESERVE f 0.001 ") + capacity);
    const auto writer = open(Dialect::bloom);
    PlaceHead head = writer->head();
    ASSERT_TRUE(writer->insert_and_advance(keys, head, {.source = {3, 3}, .position = position}));
  };
  const auto ask = [](FilterPlace& place, Key key, std::uint64_t position) {
    const Fence fence{{{3, 3}, position}};
    for (int i = 0; i < 100; ++i) {
      const Presence presence = place.presence_of(key, {.fence = &fence});
      if (presence != Presence::unknown) return presence;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return Presence::unknown;
  };
  make("1000", 1, {"a", "b", "c", "d", "e"});
  const auto place = open_place("bloom:" + at());
  ASSERT_EQ(place->presence_of("a"), Presence::maybe);
  ASSERT_EQ(place->presence_of("out"), Presence::absent);
  make("5000", 2, {"b", "f"});
  EXPECT_EQ(place->presence_of("a"), Presence::unknown);
  EXPECT_EQ(ask(*place, "out", 2), Presence::absent);
  EXPECT_EQ(ask(*place, "f", 2), Presence::maybe);
  EXPECT_EQ(place->presence_of("a"), Presence::absent) << "its row is gone";
}

// Each is what it is at the moment, whatever was there when the place was opened: nothing.
TEST_F(ItemPlaces, LearnWhatTheFilterIsThatComesLater) {
  const Watermark at{.source = {3, 3}, .position = 5};
  const auto place = open(Dialect::bloom);
  EXPECT_EQ(place->presence_of("out"), Presence::unknown);
  EXPECT_THAT(place->told().watermarks, ::testing::IsEmpty());

  server_->ask("BLOOM.RESERVE f 0.001 1000");
  PlaceHead head = place->head();
  ASSERT_TRUE(place->advance(head, at));
  EXPECT_EQ(place->presence_of("out"), Presence::absent);
  EXPECT_THAT(place->told().watermarks, ::testing::ElementsAre(at));
  EXPECT_THAT(place->watermarks(), ::testing::ElementsAre(at));

  server_->ask("DEL f");
  server_->ask("BF.ADD f somebody");
  EXPECT_EQ(place->presence_of("somebody"), Presence::maybe);
  EXPECT_THAT(place->told().watermarks, ::testing::IsEmpty());
  EXPECT_EQ(place->head().parameters.kind, FilterKind::redisbloom);
  EXPECT_THROW(place->advance(place->head(), at), std::invalid_argument);
}

TEST_F(ItemPlaces, DenyNothingOfAFilterThatForgetsAndComesLater) {
  for (const Dialect dialect : {Dialect::bf, Dialect::bloom}) {
    server_->ask("DEL f");
    const auto place = open(dialect, dialect == Dialect::bf ? "?trust=bits" : "");
    EXPECT_EQ(place->presence_of("out"), Presence::unknown);
    server_->ask("BLOOM.RESERVE f 0.01 100 WINDOW 60");
    EXPECT_EQ(place->presence_of("out"), Presence::unknown);
    EXPECT_THROW(place->insert("in"), StoreError) << "it would be forgotten";
    server_->ask("DEL f");
    EXPECT_EQ(place->presence_of("out"), Presence::unknown);
    server_->ask("BLOOM.RESERVE f 0.01 100");
    EXPECT_EQ(place->presence_of("out"), Presence::absent) << "this one keeps its keys";
  }
}

// Who asks goes on writing keys as he did.
TEST_F(ItemPlaces, DenyNothingOfAFilterWhoseKeysAreWrittenInAnotherForm) {
  const std::string file = (std::filesystem::path(folder()) / "i.bloom").string();
  const Shell shell;
  ASSERT_EQ(shell.run("bloomery create --as i64 -n 100 -p 0.001 " + file).status, 0);
  ASSERT_EQ(shell.run("bloomery insert " + file, "42\n").status, 0);
  server_->ask("BLOOM.RESERVE f 0.001 1000");
  const auto place = open(Dialect::bloom);
  EXPECT_EQ(place->presence_of("42"), Presence::absent);
  ASSERT_EQ(shell.run("bloomery push " + file + " '" + at() + "'").status, 0);
  EXPECT_EQ(place->presence_of("42"), Presence::unknown);
  EXPECT_THROW(place->head(), StoreError);
}

TEST_F(ItemPlaces, AdoptNoFilterWhoseKeysAreWrittenInAnotherForm) {
  const std::string file = (std::filesystem::path(folder()) / "i.bloom").string();
  const Shell shell;
  ASSERT_EQ(shell.run("bloomery create --as i64 -n 100 -p 0.001 " + file).status, 0);
  ASSERT_EQ(shell.run("bloomery insert " + file, "42\n").status, 0);
  const Watermark watermark{.source = {3, 3}, .position = 5};
  const Fence fence{.at_least = watermark};
  const auto place = open_place("bloom:" + at());  // nothing is there
  server_->ask("BLOOM.RESERVE f 0.001 1000");
  const auto writer = open(Dialect::bloom);
  PlaceHead head = writer->head();
  ASSERT_TRUE(writer->insert_and_advance(std::vector<Key>{"42"}, head, watermark));
  EXPECT_EQ(place->presence_of("42", {.fence = &fence}), Presence::maybe);
  EXPECT_EQ(place->presence_of("43", {.fence = &fence}), Presence::absent);

  ASSERT_EQ(shell.run("bloomery push " + file + " '" + at() + "'").status, 0);
  const auto of_i64 = open(Dialect::bloom);
  ASSERT_TRUE(of_i64->advance(of_i64->head(), watermark));
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(place->presence_of("42", {.fence = &fence}), Presence::unknown);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_EQ(place->presence_of("42"), Presence::unknown);
}

// What is inserted goes into the filter that is there by then.
TEST_F(ItemPlaces, InsertNothingIntoAFilterThatDeniesItOrForgetsIt) {
  const std::string file = (std::filesystem::path(folder()) / "i.bloom").string();
  const Shell shell;
  ASSERT_EQ(shell.run("bloomery create --as i64 -n 100 -p 0.001 " + file).status, 0);
  for (const Dialect dialect : {Dialect::bf, Dialect::bloom}) {
    server_->ask("BLOOM.RESERVE f 0.001 1000");
    server_->ask("BLOOM.RESERVE window 0.01 100 WINDOW 60");
    const auto place = open(dialect, dialect == Dialect::bf ? "?trust=bits" : "");
    place->insert_many(std::vector<Key>{});
    ASSERT_EQ(place->presence_of("77"), Presence::absent);
    ASSERT_EQ(shell.run("bloomery push " + file + " '" + at() + "'").status, 0);
    EXPECT_EQ(place->presence_of("77"), Presence::unknown);
    EXPECT_THROW(place->insert("77"), StoreError);
    server_->ask("RENAME window f");
    EXPECT_EQ(place->presence_of("77"), Presence::unknown);
    EXPECT_THROW(place->insert("77"), StoreError);
    server_->ask("DEL f");
    server_->ask("BLOOM.RESERVE f 0.001 1000");
    place->insert("77");
    EXPECT_EQ(place->presence_of("77"), Presence::maybe);
    server_->ask("DEL f");
  }
}

TEST_F(ItemPlaces, RefuseWhoMayNotAskWhatTheFilterIs) {
  server_->ask("BLOOM.RESERVE f 0.01 100 WINDOW 60");
  server_->ask("ACL SETUSER default -bloom.info");
  for (const Dialect dialect : {Dialect::bf, Dialect::bloom}) {
    try {
      open(dialect);
      ADD_FAILURE() << "is opened";
    } catch (const redis::RefusedError& error) {
      EXPECT_THAT(error.what(), HasSubstr("bloom.info"));
    }
  }
}

// A database that is put back to an older state, and comes to where the filter is by other rows.
TEST_F(ItemPlaces, ARowOfANewHistoryIsNeverDeniedByAFilterThatCameLater) {
  Watermark database{.source = {3, 3}, .position = 1};
  const auto inner = open_place("bloom:" + at());
  FencedPlace place(*inner, [&](const CallContext&) { return Fence{database}; });
  const auto ask = [&](Key key) {
    try {
      return place.presence_of(key);
    } catch (const SourceChanged&) {
      return Presence::unknown;
    }
  };
  EXPECT_EQ(ask("out"), Presence::unknown);

  const auto follow = [&](std::vector<Key> rows) {
    server_->ask("DEL f");
    server_->ask("BLOOM.RESERVE f 0.001 1000");
    const auto writer = open(Dialect::bloom);
    PlaceHead head = writer->head();
    ASSERT_TRUE(writer->insert_and_advance(rows, head, database));
  };
  database.position = 10;
  follow({"row", "lost"});
  EXPECT_EQ(ask("out"), Presence::absent);

  for (database.position = 2; database.position <= 12; ++database.position) {
    const std::string row = "new " + std::to_string(database.position);
    EXPECT_NE(ask(row), Presence::absent) << row;
  }
  follow({"row", "new 12"});
  EXPECT_EQ(ask("new 12"), Presence::maybe);
  for (int i = 0; i < 100 && ask("out") == Presence::unknown; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_EQ(ask("out"), Presence::absent);
}

TEST_F(ItemPlaces, KeepTheContractOfPlaces) {
  const auto opened = [&](Dialect dialect, bool writes) {
    return redis::open_item_place(dialect, at(), writes, false);
  };
  for (const Dialect dialect : {Dialect::bf, Dialect::bloom}) {
    testing::PlaceContract({.name = dialect == Dialect::bf ? "bf:" : "bloom:",
                            .make =
                                [&, dialect] {
                                  server_->ask("FLUSHALL");
                                  create();
                                  return opened(dialect, true);
                                },
                            .open = [&, dialect] { return opened(dialect, false); }})
        .check_all();
  }
}

}  // namespace
}  // namespace bloomery
