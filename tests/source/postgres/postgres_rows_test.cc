// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/postgres/postgres_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "bloomery/errors.h"
#include "tests/source/postgres/postgres_fixture.h"
#include "tests/source/source_helpers.h"
#include "tests/support/forked.h"

namespace bloomery {
namespace {

using testing::answers_in_each_process;
using ::testing::HasSubstr;
using testing::PostgresSession;
using namespace std::chrono_literals;
using namespace std::string_literals;
using Rows = PostgresRows::Rows;

Rows ask(const PostgresRows& rows, const std::vector<std::string>& keys,
         const CallContext& context = {}) {
  const std::vector<Key> views(keys.begin(), keys.end());
  return rows(views, context);
}

TEST(PostgresRows, AnswersEachKeyAtItsPlace) {
  PostgresSession session(server());
  session.run("CREATE TABLE people(name varchar(5) PRIMARY KEY, age int)");
  session.run(R"(INSERT INTO people VALUES ('ann', 30), ('b"\,{', 40), ('', 50), ('NULL', 60), )"
              "('lonel', NULL)");
  const PostgresRows rows(location_of("people", "name"), {.value = "age"});
  EXPECT_EQ(ask(rows, {"zoe", "ann", "b\"\\,{", "", "ann", "NULL", "lonel"}),
            (Rows{std::nullopt, "30", "40", "50", "30", "60", ""}));
  // A text that is longer than the column allows is not cut to another's key. A text with a NUL, or
  // that is not UTF-8, has no row.
  EXPECT_EQ(ask(rows, {"lonely", "ann\0"s, "\xff", "ann"}),
            (Rows{std::nullopt, std::nullopt, std::nullopt, "30"}));
  EXPECT_EQ(ask(rows, {}), Rows{});
  const PostgresRows whole(location_of("people", "name"));
  EXPECT_EQ(ask(whole, {"ann"}), (Rows{R"({"name":"ann","age":30})"}));
}

TEST(PostgresRows, HasNoRowOfAKeyThatCannotBeOfTheType) {
  PostgresSession session(server());
  session.run(
      "CREATE TABLE numbers(id bigint PRIMARY KEY, v text); "
      "INSERT INTO numbers SELECT i, 'v' || i FROM generate_series(-5, 100) i");
  const PostgresRows rows(location_of("numbers", "id"), {.value = "v"});
  EXPECT_EQ(ask(rows, {"abc", "7", "99999999999999999999", "", "8", "\xff", "-5"}),
            (Rows{std::nullopt, "v7", std::nullopt, std::nullopt, "v8", std::nullopt, "v-5"}));
  const PostgresRows by_bits(location_of("numbers", "id"),
                             {.value = "v", .encoding = KeyEncoding::i64});
  EXPECT_EQ(ask(by_bits, {"\x07\0\0\0\0\0\0\0"s, "\xfb\xff\xff\xff\xff\xff\xff\xff"s, "short"}),
            (Rows{"v7", "v-5", std::nullopt}));
  session.run("CREATE TABLE blobs(id bytea, v text); INSERT INTO blobs VALUES ('\\x00ff', 'b')");
  const PostgresRows blobs(location_of("blobs", "id"), {.value = "v"});
  EXPECT_EQ(ask(blobs, {"\x00\xff"s, "\x00"s}), (Rows{"b", std::nullopt}));
}

TEST(PostgresRows, FindsRowsOfTheTypeThatTheColumnHasNow) {
  PostgresSession session(server());
  session.run(
      "CREATE TABLE altered(id int PRIMARY KEY, v text); INSERT INTO altered VALUES (7, 'seven')");
  const PostgresRows rows(location_of("altered", "id"), {.value = "v"});
  EXPECT_EQ(ask(rows, {"7", "3000000000", "x"}), (Rows{"seven", std::nullopt, std::nullopt}));
  session.run(
      "ALTER TABLE altered ALTER id TYPE bigint; INSERT INTO altered VALUES (3000000000, 'big')");
  EXPECT_EQ(ask(rows, {"3000000000"}), (Rows{"big"}));
  EXPECT_EQ(ask(rows, {"x", "7"}), (Rows{std::nullopt, "seven"}));
  session.run("ALTER TABLE altered ALTER id TYPE text; INSERT INTO altered VALUES ('x', 'a text')");
  EXPECT_EQ(ask(rows, {"7", "x", "y"}), (Rows{"seven", "a text", std::nullopt}));
  session.run("ALTER TABLE altered RENAME id TO name");
  EXPECT_THROW(ask(rows, {"x"}), StoreError);
  session.run("ALTER TABLE altered RENAME name TO id");
  EXPECT_EQ(ask(rows, {"x"}), (Rows{"a text"}));
}

TEST(PostgresRows, FindsRowsOfADomain) {
  PostgresSession session(server());
  session.run(
      "CREATE DOMAIN positive AS bigint CHECK (value > 0); CREATE DOMAIN small AS positive; "
      "CREATE TABLE domains(id small PRIMARY KEY, v text); INSERT INTO domains VALUES (7, "
      "'seven')");
  const PostgresRows rows(location_of("domains", "id"), {.value = "v"});
  const Rows found{"seven", std::nullopt, std::nullopt, std::nullopt};
  EXPECT_EQ(ask(rows, {"7", "8", "-1", "x"}), found);
  session.run("ALTER TABLE domains ALTER id TYPE bigint");
  EXPECT_EQ(ask(rows, {"7", "8", "-1", "x"}), found);
  session.run("CREATE DOMAIN word AS text; ALTER TABLE domains ALTER id TYPE word");
  EXPECT_EQ(ask(rows, {"7", "x"}), (Rows{"seven", std::nullopt}));
}

// Processes of one session would read what another was answered.
TEST(PostgresRows, AChildOfAForkHasSessionsOfItsOwn) {
  PostgresSession session(server());
  session.run(
      "CREATE TABLE forked(id int PRIMARY KEY); INSERT INTO forked SELECT generate_series(0, 199)");
  const PostgresRows rows(location_of("forked", "id"), {.value = "id"});
  EXPECT_TRUE(answers_in_each_process([&](int process) {
    const std::string key = std::to_string(process);
    return ask(rows, {key}) == Rows{key} && ask(rows, {"x"}) == Rows{std::nullopt};
  }));
}

// An error is never "no such row".
TEST(PostgresRows, ThrowsWhatFails) {
  PostgresSession session(server());
  session.run(
      "CREATE TABLE errors(id int PRIMARY KEY, v text); INSERT INTO errors VALUES (1, 'x')");
  const PostgresRows bad_value(location_of("errors", "id"), {.value = "v::int"});
  EXPECT_THAT(message_of<StoreError>([&] {
                ask(bad_value, {"1", "abc"});
              }),
              HasSubstr("invalid input syntax"));
  EXPECT_EQ(ask(bad_value, {"2", "abc"}), (Rows{std::nullopt, std::nullopt}));
  const PostgresRows rows(location_of("errors", "id"), {.value = "v"});
  EXPECT_EQ(ask(rows, {"1"}), Rows{"x"});
  session.run("DROP TABLE errors");
  EXPECT_THROW(ask(rows, {"1"}), StoreError);
  EXPECT_THROW(PostgresRows("postgres://h/d?query=SELECT 1"), std::invalid_argument);
  EXPECT_THROW(PostgresRows("mysql://h/d?table=a&column=b"), std::invalid_argument);
}

TEST(PostgresRows, GivesUpInTimeAndGoesOn) {
  PostgresSession session(server());
  session.run("CREATE TABLE waits(id int PRIMARY KEY, v text); INSERT INTO waits VALUES (1, 'x')");
  const PostgresRows rows(location_of("waits", "id"), {.value = "v", .connections = 1});
  EXPECT_EQ(ask(rows, {"1"}), Rows{"x"});
  session.run("BEGIN; LOCK TABLE waits");
  EXPECT_THROW(ask(rows, {"1"}, CallContext::within(50ms)), CallAborted);
  session.run("COMMIT");
  EXPECT_EQ(ask(rows, {"1"}), Rows{"x"});
  // A connection that the server ended while nobody used it.
  session.run(
      "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity "
      "WHERE application_name = 'bloomery' AND pid <> pg_backend_pid()");
  std::this_thread::sleep_for(20ms);
  EXPECT_EQ(ask(rows, {"1"}), Rows{"x"});
}

TEST(PostgresRows, AnswersManyThreadsByFewConnections) {
  PostgresSession session(server());
  session.run(
      "CREATE TABLE crowd(id int PRIMARY KEY, v int); "
      "INSERT INTO crowd SELECT i, -i FROM generate_series(1, 1000) i");
  const PostgresRows rows(location_of("crowd", "id"), {.value = "v", .connections = 2});
  std::atomic<int> right = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 6; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 1; i <= 20; ++i) {
        const std::string key = std::to_string(t * 100 + i);
        right += ask(rows, {key, "0"}) == Rows{"-" + key, std::nullopt} ? 1 : 0;
      }
    });
  }
  for (std::thread& each : threads) each.join();
  EXPECT_EQ(right, 120);
  EXPECT_EQ(session.run("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'bloomery' "
                        "AND query LIKE '%crowd%'"),
            "2");
}

}  // namespace
}  // namespace bloomery
