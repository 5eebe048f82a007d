// SPDX-License-Identifier: Apache-2.0
#include "bloomery/redis/places/native_exchange.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "bloomery/filter/filter_kinds.h"
#include "bloomery/redis/client/client.h"
#include "bloomery/redis/places/native_load.h"
#include "bloomery/redis/places/native_place.h"
#include "tests/redis/places/native_server_fixture.h"

namespace bloomery::redis {
namespace {

std::vector<std::string> rows(int from, int to) {
  std::vector<std::string> all;
  for (int i = from; i < to; ++i) all.push_back("row " + std::to_string(i));
  return all;
}

class NativeExchangeTest : public NativeServerTest {
 protected:
  bool has_called(const std::string& command) {
    return ask({"INFO", "commandstats"}).text.find("cmdstat_" + command + ":") != std::string::npos;
  }
  AnyFilter made(double rate, FilterKind kind = FilterKind::blocked) const {
    return make_filter(kind, {.capacity = 3000, .false_positive_rate = rate, .seed = 7});
  }

  // Exchanges the filter that had these bytes and this header.
  static NativeExchange exchange_of(std::string_view whole, const NativeBitmapHead& head,
                                    std::string_view next_head) {
    return NativeExchange({.key = "f",
                           .name = "f",
                           .byte_count = whole.size(),
                           .body_offset = head.header.layout.body_offset,
                           .old_head = head.bytes,
                           .next_head = next_head});
  }
  // Returns whether the exchange finds the filter that it expects; nothing is written.
  bool is_taken(NativeExchange exchange, const KeyBits& bits) {
    exchange.add(bits);
    bool taken = false;
    const auto then = [&](std::span<const Reply> replies) -> std::optional<Request> {
      taken = exchange.take(replies);
      return std::nullopt;
    };
    EXPECT_FALSE(client_->run_watched(exchange.question(), then, {}, [](std::span<const Reply>) {
      FAIL() << "nothing was asked";
    }));
    return taken;
  }
};

TEST_F(NativeExchangeTest, AStepOfManyKeysSetsTheBitsOfEachWithoutAScript) {
  for (AnyFilter& same : std::array{made(0.01), made(1e-6),  // one line a key, and two
                                    made(0.01, FilterKind::classic)}) {
    load_native(*client_, same.contents(), {.old = OldFilter::drop});
    const auto place = open_native_place(at(), true);
    ask({"CONFIG", "RESETSTAT"});
    PlaceHead head = place->head();
    for (const std::uint64_t step : {1, 2}) {
      const auto texts = rows(static_cast<int>(step) * 1000, static_cast<int>(step) * 1000 + 1000);
      const std::vector<Key> keys(texts.begin(), texts.end());
      const Watermark next{.source = {1, 2}, .position = step};
      ASSERT_TRUE(place->insert_and_advance(keys, head, next));
      same.insert_many(keys);
      EXPECT_EQ(head.watermark, next);
      EXPECT_EQ(place->head().watermark, next);
      EXPECT_EQ(place->head().beat, head.beat);
    }
    const AnyFilter there = place->copy();
    EXPECT_TRUE(std::ranges::equal(there.contents().words.front(), same.contents().words.front()));
    EXPECT_TRUE(has_called("watch"));
    EXPECT_FALSE(has_called("eval"));
  }
}

// Whatever is done to the string between reading and writing it: nothing is written over that.
TEST_F(NativeExchangeTest, WritesNothingWhereSomebodyWasInBetween) {
  const AnyFilter filter = made(0.001);
  load_native(*client_, filter.contents(), {});
  const auto place = open_native_place(at(), true);
  PlaceHead at_first = place->head();
  const std::string whole = bytes();
  ask({"SET", "copy", whole});
  const std::string dump = ask({"DUMP", "f"}).text;
  const std::vector<std::function<void()>> intrusions{
      [&] {
        ask({"SETBIT", "f", "40000", "1"});
      },
      [&] {
        ask({"SETRANGE", "f", "40", "x"});
      },
      [&] {
        ask({"DEL", "f"});
      },
      [&] {
        ask({"SET", "f", whole});
      },
      [&] {
        ask({"RESTORE", "f", "0", dump, "REPLACE"});
      },
      [&] {
        ask({"COPY", "copy", "f", "REPLACE"});
      },
      [&] {
        ask({"PEXPIRE", "f", "0"});
      },
      [&] {
        ask({"APPEND", "f", "x"});
      },
      [&] { ask({"FLUSHALL"}); },
      [&] {
        ask({"SWAPDB", "0", "1"});
      },
      [&] {
        ask({"CONFIG", "SET", "maxmemory", "1"});
      },
      [&] {
        // Without MULTI each command would be done.
        ask({"ACL", "SETUSER", "default", "-multi"});
        ask({"SETBIT", "f", "40000", "1"});
      }};
  const NativeBitmapHead head = read_native_head(whole, whole.size());
  const std::string next(head.bytes.size(), 'x');
  KeyBits bits;
  for (std::uint64_t i = 0; i < 300; ++i) {
    bits.positions.push_back(i * 97 % 20'000);
    bits.ends.push_back(bits.positions.size());
  }
  for (std::size_t i = 0; i <= intrusions.size(); ++i) {
    const bool is_alone = i == intrusions.size();
    ask({"FLUSHALL"});
    ask({"SET", "copy", whole});
    ask({"SET", "f", whole});
    NativeExchange exchange = exchange_of(whole, head, next);
    exchange.add(bits);
    std::string there;
    auto outcome = NativeExchange::Outcome::refused;
    const auto then = [&](std::span<const Reply> replies) -> std::optional<Request> {
      EXPECT_TRUE(exchange.take(replies)) << i;
      if (!is_alone) intrusions[i]();
      there = bytes();
      return exchange.writing();
    };
    EXPECT_TRUE(client_->run_watched(
        exchange.question(), then, {},
        [&](std::span<const Reply> replies) { outcome = exchange.outcome(replies); }));
    if (is_alone) {
      EXPECT_EQ(outcome, NativeExchange::Outcome::done);
      EXPECT_NE(bytes(), there);
      EXPECT_TRUE(bytes().starts_with(next));
    } else {
      EXPECT_NE(outcome, NativeExchange::Outcome::done) << i;
      EXPECT_EQ(bytes(), there) << i;
    }
    ask({"CONFIG", "SET", "maxmemory", "0"});
    ask({"ACL", "SETUSER", "default", "+multi"});
  }
}

TEST_F(NativeExchangeTest, IsNotForWhoMayNotBeginATransactionNorForKeysThatExpire) {
  const AnyFilter filter = made(0.001);
  load_native(*client_, filter.contents(), {});
  const std::string whole = bytes();
  const NativeBitmapHead head = read_native_head(whole, whole.size());
  KeyBits bits;
  bits.positions = {97};
  bits.ends = {1};
  const auto takes = [&] { return is_taken(exchange_of(whole, head, head.bytes), bits); };
  EXPECT_TRUE(takes());
  ask({"ACL", "SETUSER", "default", "-multi"});
  EXPECT_FALSE(takes());
  ask({"ACL", "SETUSER", "default", "+multi"});
  ask({"EXPIRE", "f", "1000"});
  EXPECT_FALSE(takes());
  EXPECT_EQ(bytes(), whole);
}

// A changed filter is reported before anything is written.
TEST_F(NativeExchangeTest, TakesNoOtherFilterForItsOwn) {
  const AnyFilter filter = made(0.001);
  load_native(*client_, filter.contents(), {});
  const std::string whole = bytes();
  std::string other_head = whole;
  other_head[70] = static_cast<char>(other_head[70] ^ 1);
  const NativeBitmapHead head = read_native_head(whole, whole.size());
  KeyBits bits;
  bits.positions.push_back(5);
  bits.ends.push_back(1);
  for (const std::string& there :
       {std::string(), other_head, whole.substr(0, whole.size() - 1), whole + "x"}) {
    ask({"SET", "f", there});
    EXPECT_FALSE(is_taken(exchange_of(whole, head, head.bytes), bits));
    EXPECT_EQ(bytes(), there);
  }
  ask({"DEL", "f"});
  ask({"RPUSH", "f", "no string"});
  EXPECT_FALSE(is_taken(exchange_of(whole, head, head.bytes), bits));
}

// The questions of an exchange are no transaction: the lines may be of another moment than the
// header.
TEST_F(NativeExchangeTest, TakesNothingOfAStringThatGoesAwayWhileItIsAsked) {
  const AnyFilter filter = made(0.001);
  load_native(*client_, filter.contents(), {});
  const std::string whole = bytes();
  const NativeBitmapHead head = read_native_head(whole, whole.size());
  KeyBits bits;
  bits.positions = {97};
  bits.ends = {1};
  const auto is_taken_without = [&](std::size_t kept) {
    NativeExchange exchange = exchange_of(whole, head, head.bytes);
    exchange.add(bits);
    bool is_taken = false;
    const auto then = [&](std::span<const Reply> said) -> std::optional<Request> {
      std::vector<Reply> replies(said.begin(), said.end());
      std::string& line = replies[replies.size() - 2].text;
      EXPECT_EQ(line.size(), 64U);
      line.resize(kept);
      EXPECT_NO_THROW(is_taken = exchange.take(replies)) << "it is no damaged answer";
      return std::nullopt;
    };
    client_->run_watched(exchange.question(), then, {}, [](std::span<const Reply>) {});
    return is_taken;
  };
  EXPECT_TRUE(is_taken_without(64));
  EXPECT_FALSE(is_taken_without(0));
  EXPECT_FALSE(is_taken_without(63));
}

// A writer that is overtaken sets the bits by a script, and does not lose what the other has set.
TEST_F(NativeExchangeTest, TwoWhoWriteAtOnceLoseNothing) {
  const AnyFilter filter = made(0.001);
  load_native(*client_, filter.contents(), {});
  const auto follower = open_native_place(at(), true);
  const auto guard = open_native_place(at(), true);
  const auto announced = rows(100'000, 100'400);
  PlaceHead head = follower->head();
  std::jthread other([&] {
    for (const std::string& each : announced) {
      const Key key(each);
      guard->insert_many(std::span(&key, 1));
    }
  });
  const auto texts = rows(0, 10 * 300);
  const std::vector<Key> keys(texts.begin(), texts.end());
  for (std::uint64_t i = 0; i < 10; ++i) {
    ASSERT_TRUE(follower->insert_and_advance(std::span(keys).subspan(i * 300, 300), head,
                                             {.source = {1, 2}, .position = i + 1}));
  }
  other.join();
  const AnyFilter there = follower->copy();
  for (const std::string& each : texts) ASSERT_TRUE(there.may_contain(Key(each))) << each;
  for (const std::string& each : announced) ASSERT_TRUE(there.may_contain(Key(each))) << each;
}

}  // namespace
}  // namespace bloomery::redis
