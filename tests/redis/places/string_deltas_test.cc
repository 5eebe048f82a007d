// SPDX-License-Identifier: Apache-2.0
// A copy of a filter in a string, by what steps leave beside it.
#include "bloomery/redis/places/string_deltas.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bloomery/errors.h"
#include "bloomery/filter/filter_kinds.h"
#include "bloomery/redis/places/native_load.h"
#include "bloomery/redis/places/partition_keys.h"
#include "tests/redis/places/native_place_fixture.h"
#include "tests/redis/places/string_copy.h"
#include "tests/support/proxy.h"

namespace bloomery::redis {
namespace {

const Identity kRows{1, 2};

class StringDeltasTest : public NativeTest {
 protected:
  static std::unique_ptr<FilterPlace> follower(const std::string& settings = "deltas=100000") {
    return open_native_place(at("?" + settings), true);
  }
  void make(FilterKind kind = FilterKind::blocked, double rate = 0.001, std::uint64_t keys = 10'000,
            const std::string& settings = "") {
    const AnyFilter filter =
        make_filter(kind, {.capacity = keys, .false_positive_rate = rate, .seed = 7});
    Client client(parse_location(at(settings)));
    load_native(client, filter.contents(), {.old = OldFilter::drop});
  }
  // Rows from..to-1 come, and are there up to `to`.
  static void step(FilterPlace& place, int from, int to, bool is_loose = false) {
    const auto texts = names(from, to);
    const std::vector<Key> keys(texts.begin(), texts.end());
    PlaceHead head = place.head();
    const Watermark next{kRows, static_cast<std::uint64_t>(to)};
    ASSERT_TRUE(place.insert_and_advance(keys, head, is_loose ? *head.watermark : next));
  }
  std::int64_t entries(const std::string& stream = "{f}.steps") {
    return ask({"XLEN", stream}).number;
  }
  StringCopy copy_{at()};
};

TEST_F(StringDeltasTest, GoOnByTheKeysOfSteps) {
  for (const auto& [kind, rate] :
       {std::pair(FilterKind::blocked, 0.01), std::pair(FilterKind::blocked, 1e-6),
        std::pair(FilterKind::classic, 0.001)}) {
    make(kind, rate);
    const auto place = follower();
    step(*place, 0, 10);
    copy_.look();
    const int before = copy_.whole_reads;
    step(*place, 10, 11);
    step(*place, 11, 200);
    step(*place, 200, 2000);  // by an exchange, or in several transactions
    PlaceHead head = place->head();
    ASSERT_TRUE(place->advance(head, {kRows, 3000}));
    copy_.look();
    EXPECT_EQ(copy_.whole_reads, before);
    EXPECT_EQ(copy_.reached, (Watermark{kRows, 3000}));
    EXPECT_EQ(copy_.missing(names(0, 2000)), 0U);
    copy_.expect_bits_of(*place);
    EXPECT_GT(ask({"PTTL", "{f}.steps"}).number, 0);
  }
}

TEST_F(StringDeltasTest, GoOnByTheKeysOfEachPartition) {
  make(FilterKind::blocked, 0.001, 10'000, "?partitions=4");
  const auto place = follower("partitions=4&deltas=100000");
  step(*place, 0, 10);
  copy_.look();
  step(*place, 10, 15);
  step(*place, 15, 1500);
  copy_.look();
  EXPECT_EQ(copy_.whole_reads, 1);
  EXPECT_EQ(copy_.reached, (Watermark{kRows, 1500}));
  EXPECT_EQ(copy_.missing(names(0, 1500)), 0U);
  copy_.expect_bits_of(*place);
  // One part goes back: the others' chains are no proof for it.
  const std::string part = partition_key("f", 2, 4);
  ask({"COPY", part, part + "old"});
  step(*place, 1500, 1600);
  ask({"COPY", part + "old", part, "REPLACE"});
  copy_.look();
  EXPECT_EQ(copy_.reached, (Watermark{kRows, 1500}));
  place->destroy();
  EXPECT_EQ(ask({"DBSIZE"}).number, 1) << "the older part alone";
}

// An entry that moves the beat alone is a link, too: its keys belong to the next watermark.
TEST_F(StringDeltasTest, MissNoKeyThatCameBeforeItsWatermark) {
  make();
  const auto place = follower();
  step(*place, 0, 10);
  copy_.look();
  const auto without = open();  // an older follower, which leaves nothing
  step(*without, 10, 20, true);
  step(*place, 20, 30);
  copy_.look();
  EXPECT_EQ(copy_.whole_reads, 2);
  EXPECT_EQ(copy_.missing(names(0, 30)), 0U);
  step(*place, 30, 31);
  copy_.look();
  EXPECT_EQ(copy_.whole_reads, 2) << "in step again";
}

TEST_F(StringDeltasTest, ReadWholeWhereTheChainIsBroken) {
  make();
  const auto place = follower();
  step(*place, 0, 10);
  copy_.look();
  const std::vector<std::function<void()>> breaks{
      [&] {
        ask({"DEL", "{f}.steps"});
      },
      [&] {
        ask({"XTRIM", "{f}.steps", "MAXLEN", "1"});
      },
      [&] {
        const auto all = ask({"XRANGE", "{f}.steps", "-", "+"}).elements;
        ask({"XDEL", "{f}.steps", all.at(all.size() - 2).elements[0].text});
      },
      [&] {
        ask({"SET", "{f}.steps", "of somebody"});
      },
      [&] {
        ask({"DEL", "{f}.steps"});
        ask({"XADD", "{f}.steps", "*", "of", "somebody"});
      },
  };
  int row = 10;
  for (const auto& damage : breaks) {
    const int before = copy_.whole_reads;
    step(*place, row, row + 5);
    step(*place, row + 5, row + 10);
    damage();
    step(*place, row + 10, row + 15);
    row += 15;
    copy_.look();
    EXPECT_EQ(copy_.whole_reads, before + 1);
    EXPECT_EQ(copy_.reached, (Watermark{kRows, static_cast<std::uint64_t>(row)}));
    EXPECT_EQ(copy_.missing(names(0, row)), 0U);
  }
  // The key of others stays, and the filter goes on.
  EXPECT_EQ(entries(), 1);
  EXPECT_EQ(ask({"XRANGE", "{f}.steps", "-", "+"}).elements[0].elements[1].elements[0].text, "of");
}

TEST_F(StringDeltasTest, BeginAnewWhereAnOlderCopyIsPutBack) {
  make();
  const auto place = follower();
  step(*place, 0, 10);
  ask({"COPY", "f", "old"});
  step(*place, 10, 20);
  copy_.look();
  ask({"COPY", "old", "f", "REPLACE"});
  copy_.look();  // the stream has what the string has not
  EXPECT_EQ(copy_.reached, (Watermark{kRows, 10}));
  const auto again = follower();
  step(*again, 10, 12);
  step(*again, 12, 14);
  copy_.look();
  EXPECT_EQ(copy_.reached, (Watermark{kRows, 14}));
  EXPECT_EQ(copy_.missing(names(0, 14)), 0U);
  const int before = copy_.whole_reads;
  step(*again, 14, 16);
  copy_.look();
  EXPECT_EQ(copy_.whole_reads, before) << "in step again";
}

TEST_F(StringDeltasTest, KeepNoMoreThanTheySay) {
  make();
  const auto place = follower("deltas=4096");
  step(*place, 0, 1);
  for (int i = 1; i < 300; ++i) step(*place, i, i + 1);
  // 104 bytes an entry of one key.
  EXPECT_EQ(entries(), 4096 / 104);
  copy_.look();
  step(*place, 300, 900);  // more than it may have: a gap
  copy_.look();
  EXPECT_EQ(copy_.whole_reads, 2);
  EXPECT_EQ(copy_.missing(names(0, 900)), 0U);
  EXPECT_EQ(entries(), 4096 / 104);
  step(*place, 900, 1000);  // 1,688 bytes
  EXPECT_EQ(entries(), 1 + (4096 - 1688) / 104);
}

TEST_F(StringDeltasTest, AreReadInSeveralLooksWhereTheyAreMany) {
  make();
  const auto place = follower("deltas=1000000");
  step(*place, 0, 1);
  copy_.look();
  for (int i = 1; i < 700; ++i) step(*place, i, i + 1);
  copy_.look();
  EXPECT_EQ(copy_.whole_reads, 1);
  EXPECT_EQ(copy_.reached, (Watermark{kRows, 700}));
  EXPECT_EQ(copy_.missing(names(0, 700)), 0U);
  for (int i = 700; i < 700 + 256; ++i) step(*place, i, i + 1);  // as many as one look takes
  copy_.look();
  EXPECT_EQ(copy_.reached, (Watermark{kRows, 956}));
}

TEST_F(StringDeltasTest, AreReadWholeByWhoMayReadNoStreams) {
  make();
  setenv("BLOOMERY_TEST_READER", "any", 1);
  const std::string user = "user=reader&password_env=BLOOMERY_TEST_READER";
  const std::vector<std::string> least{"+multi",    "+exec",     "+echo",        "+role",
                                       "+strlen",   "+getrange", "+bitfield_ro", "+bitfield",
                                       "+setrange", "+eval"};
  const auto allow = [&](std::vector<std::string> more) {
    std::vector<std::string> words{"ACL", "SETUSER", "reader", "reset", "on", "nopass"};
    words.insert(words.end(), least.begin(), least.end());
    words.insert(words.end(), more.begin(), more.end());
    const std::vector<std::string_view> views(words.begin(), words.end());
    client_->run(Request().add(views), Repeat::never);
  };
  const auto place = follower();
  step(*place, 0, 10);
  int row = 10;
  for (const std::vector<std::string>& rights :
       {std::vector<std::string>{"~f"}, {"~f", "+xrange"}, {"~*"}}) {
    allow(rights);
    StringCopy copy(at("?" + user));
    copy.look();
    step(*place, row, row + 10);
    copy.look();
    EXPECT_EQ(copy.whole_reads, 2);
    step(*open_native_place(at("?" + user), true), row + 10, row + 20);
    row += 20;
    copy.look();
    EXPECT_EQ(copy.reached, (Watermark{kRows, static_cast<std::uint64_t>(row)}));
    EXPECT_EQ(copy.missing(names(0, row)), 0U);
  }
  // A follower that may not write the stream leaves a gap, and steps.
  const auto limited = follower(user + "&deltas=100000");
  ask({"DEL", "{f}.steps"});
  step(*limited, row, row + 10);
  EXPECT_EQ(ask({"EXISTS", "{f}.steps"}).number, 0);
  allow({"~f", "~{f}.steps", "+xrange", "+xrevrange", "+xadd", "+xdel", "+del", "+pexpire"});
  step(*follower(user + "&deltas=4096"), row + 10, row + 20);
  EXPECT_EQ(entries(), 1);
  EXPECT_GT(ask({"PTTL", "{f}.steps"}).number, 0);
}

// A piece that was read while an older copy was there is no part of the copy's chain.
TEST_F(StringDeltasTest, BeginAtNoStateThatAPieceHadNot) {
  make(FilterKind::blocked, 0.001, 3'000'000);  // several megabytes
  const auto place = follower();
  step(*place, 0, 10);
  ask({"COPY", "f", "old"});
  step(*place, 10, 2000, true);  // as far as before, by its watermark
  ask({"COPY", "f", "new"});
  int pieces = -100;
  const testing::Proxy proxy(
      socket(), [](std::string&, std::mt19937&) { return true; },
      [&] {
        const int piece = ++pieces;
        if (piece == 3) ask({"COPY", "old", "f", "REPLACE"});
        if (piece == 5) ask({"COPY", "new", "f", "REPLACE"});
      });
  StringCopy copy("redis://127.0.0.1:" + std::to_string(proxy.port()) + "?timeout=20000#f");
  pieces = 0;
  copy.look();
  EXPECT_GT(pieces, 5);
  EXPECT_GT(copy.missing(names(10, 2000)), 0U) << "else nothing was tried";
  step(*place, 2000, 2001);  // from the state that the copy read first
  copy.look();
  EXPECT_EQ(copy.reached, (Watermark{kRows, 2001}));
  EXPECT_EQ(copy.missing(names(0, 2001)), 0U);
}

TEST_F(StringDeltasTest, RefuseSettingsThatAreNone) {
  make();
  for (const char* each : {"deltas=4095", "deltas=x", "deltas=536870913", "deltas=-1"}) {
    EXPECT_THROW(follower(each), std::invalid_argument) << each;
  }
  step(*follower("deltas=0"), 0, 10);
  EXPECT_EQ(ask({"EXISTS", "{f}.steps"}).number, 0);
}

}  // namespace
}  // namespace bloomery::redis
