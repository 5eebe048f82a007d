// SPDX-License-Identifier: Apache-2.0
// Filters that come, or are exchanged, under who has them open in bf: and bloom:.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "bloomery/open/open_place.h"
#include "bloomery/place/fence_source.h"
#include "bloomery/place/fenced_place.h"
#include "tests/cli/shell.h"
#include "tests/module/item_place_fixture.h"
#include "tests/support/proxy.h"

namespace bloomery {
namespace {

using ::testing::HasSubstr;
using testing::Shell;

using ExchangedItemPlaces = ItemPlaces;

// A failover to a replica that was not brought up to date yet.
TEST_F(ExchangedItemPlaces, AServerThatGoesBackToAnOlderModuleIsAskedAsThatKnows) {
  server_->ask("BLOOM.RESERVE f 0.001 1000");
  const Watermark at{.source = {3, 3}, .position = 5};
  PlaceHead head = open(Dialect::bloom)->head();
  ASSERT_TRUE(open(Dialect::bloom)->advance(head, at));
  // The old module knows no WATERMARK behind BLOOM.INFO.
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
  Proofs of_old;
  EXPECT_EQ(place->ask_one("out", of_old, {.fence = &reached}), Presence::absent);
  ASSERT_EQ(of_old.all().size(), 1U);
  EXPECT_EQ(of_old.all()[0].watermark, at);
  // The new filter is asked again.
  is_old = false;
  EXPECT_EQ(place->head().watermark, at);
  Proofs of_new;
  EXPECT_EQ(place->ask_one("out", of_new), Presence::absent);
  ASSERT_EQ(of_new.all().size(), 1U);
  EXPECT_TRUE(of_old.has_filter_of(of_new.all()[0]));
  EXPECT_EQ(of_new.all()[0].watermark, at);
}

// A rebuild from a database with fewer rows leaves fewer items than the open place has seen.
TEST_F(ExchangedItemPlaces, AFilterThatWasRebuiltSmallerIsGoneOnWithBehindAFence) {
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
TEST_F(ExchangedItemPlaces, LearnWhatTheFilterIsThatComesLater) {
  const Watermark at{.source = {3, 3}, .position = 5};
  const auto place = open(Dialect::bloom);
  const auto ask_one = [&](Key key) {
    Proofs proofs;
    const Presence presence = place->ask_one(key, proofs);
    const auto all = proofs.all();
    return std::pair(presence, all.empty() ? std::nullopt : all[0].watermark);
  };
  EXPECT_EQ(ask_one("out"), std::pair(Presence::unknown, std::optional<Watermark>()));

  server_->ask("BLOOM.RESERVE f 0.001 1000");
  PlaceHead head = place->head();
  ASSERT_TRUE(place->advance(head, at));
  EXPECT_EQ(ask_one("out"), std::pair(Presence::absent, std::optional(at)));
  Proofs looked;
  place->ask({}, {}, looked);
  EXPECT_EQ(looked.all()[0].watermark, at);

  server_->ask("DEL f");
  server_->ask("BF.ADD f somebody");
  // The new filter does not say how its keys are written, and the one before held texts.
  EXPECT_NE(place->presence_of("somebody"), Presence::absent);
  EXPECT_EQ(place->presence_of("out"), Presence::unknown);
  EXPECT_THROW(place->head(), StoreError);
  const auto again = open(Dialect::bloom);
  EXPECT_EQ(again->presence_of("somebody"), Presence::maybe);
  EXPECT_EQ(again->head().parameters.kind, FilterKind::redisbloom);
  EXPECT_THROW(again->advance(again->head(), at), std::invalid_argument);
}

TEST_F(ExchangedItemPlaces, DenyNothingOfAFilterThatForgetsAndComesLater) {
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

// A caller goes on writing keys in the form of the first filter.
TEST_F(ExchangedItemPlaces, DenyNothingOfAFilterWhoseKeysAreWrittenInAnotherForm) {
  const std::string file = (std::filesystem::path(folder()) / "i.bloom").string();
  const Shell shell;
  ASSERT_EQ(shell.run("bloomery create --as i64 -n 100 -p 0.001 " + file).status, 0);
  ASSERT_EQ(shell.run("bloomery insert " + file, "42\n").status, 0);
  server_->ask("BLOOM.RESERVE f 0.001 1000");
  const auto place = open(Dialect::bloom);
  EXPECT_EQ(place->presence_of("42"), Presence::absent);
  EXPECT_EQ(place->presence_of("43"), Presence::absent);
  ASSERT_EQ(shell.run("bloomery push " + file + " '" + at() + "'").status, 0);
  EXPECT_EQ(place->presence_of("42"), Presence::maybe)
      << "a text is asked as the integer that it spells";
  EXPECT_EQ(place->presence_of("43"), Presence::unknown);
  EXPECT_THROW(place->head(), StoreError);
}

TEST_F(ExchangedItemPlaces, AdoptNoFilterWhoseKeysAreWrittenInAnotherForm) {
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
    EXPECT_EQ(place->presence_of("43", {.fence = &fence}), Presence::unknown);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_EQ(place->presence_of("42"), Presence::maybe);
  EXPECT_EQ(place->presence_of("43"), Presence::unknown);
}

// An insert goes into the filter that is there by then.
TEST_F(ExchangedItemPlaces, InsertNothingIntoAFilterThatDeniesItOrForgetsIt) {
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

TEST_F(ExchangedItemPlaces, RefuseWhoMayNotAskWhatTheFilterIs) {
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
TEST_F(ExchangedItemPlaces, ARowOfANewHistoryIsNeverDeniedByAFilterThatCameLater) {
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

}  // namespace
}  // namespace bloomery
