// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/postgres/postgres_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <set>
#include <stdexcept>
#include <thread>

#include "bloomery/errors.h"
#include "bloomery/source/open_source.h"
#include "tests/source/postgres/postgres_fixture.h"
#include "tests/source/source_helpers.h"

namespace bloomery {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::PostgresSession;
using ::testing::UnorderedElementsAre;
using namespace std::string_literals;

std::vector<std::string> scan(const std::string& selection, const SourceOptions& options = {}) {
  return keys_of(*open_source(location_of(selection), options));
}

TEST(PostgresSource, ReadsAColumnAsItIsPrinted) {
  PostgresSession session(server());
  session.run("CREATE TABLE texts(id text)");
  session.run(
      R"(INSERT INTO texts VALUES ('ann'), (E'a\tb\nc\\d\be'), ('用户'), (''), (NULL), ('\N'))");
  const auto source = open_source(location_of("texts", "id"), {});
  std::vector<std::string> keys;
  const auto totals = source->for_each_batch([&](const Batch& batch) {
    keys.insert(keys.end(), batch.keys.begin(), batch.keys.end());
    return true;
  });
  EXPECT_THAT(keys, ElementsAre("ann", "a\tb\nc\\d\be", "用户", "", "\\N"));
  EXPECT_EQ(totals.key_count, 5u);
  EXPECT_EQ(totals.null_count, 1u);
  EXPECT_EQ(source->expected_count(), 6u);
  EXPECT_EQ(keys_of(*source).size(), 5u);  // and again
}

TEST(PostgresSource, ReadsEachTypeAsItsKeys) {
  PostgresSession session(server());
  session.run(
      "CREATE TABLE types(i int, b bytea, u uuid, n numeric, t timestamptz, f float8, c char(4))");
  session.run(
      R"(INSERT INTO types VALUES (-7, '\x00ff5c0a', 'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11', 7.50,
         '2026-01-02 03:04:05+02', 0.1, 'ab'))");
  EXPECT_THAT(scan("table=types&column=i"), ElementsAre("-7"));
  EXPECT_THAT(scan("table=types&column=b"), ElementsAre("\x00\xff\x5c\x0a"s));
  EXPECT_THAT(scan("table=types&column=u"), ElementsAre("a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"));
  EXPECT_THAT(scan("table=types&column=n"), ElementsAre("7.50"));
  EXPECT_THAT(scan("table=types&column=t"), ElementsAre("2026-01-02 01:04:05+00"));
  EXPECT_THAT(scan("table=types&column=f"), ElementsAre("0.1"));
  EXPECT_THAT(scan("table=types&column=c"), ElementsAre("ab  "));
  EXPECT_THAT(scan("table=types&column=i", {.encoding = KeyEncoding::i64}),
              ElementsAre("\xf9\xff\xff\xff\xff\xff\xff\xff"));
  EXPECT_THAT(scan("table=types&column=c", {.normalise = Normalise::trim}), ElementsAre("ab"));
  EXPECT_THAT(message_of<std::invalid_argument>(
                  [&] { scan("table=types&column=i", {.encoding = KeyEncoding::u64}); }),
              HasSubstr("row 1 read"));
}

TEST(PostgresSource, TakesSchemasPartitionsViewsAndQueries) {
  PostgresSession session(server());
  session.run("CREATE SCHEMA \"my shop\"");
  session.run("CREATE TABLE \"my shop\".\"Big.Users\"(\"Id,1\" int) PARTITION BY RANGE (\"Id,1\")");
  session.run("CREATE TABLE low PARTITION OF \"my shop\".\"Big.Users\" FOR VALUES FROM (0) TO (5)");
  session.run(
      "CREATE TABLE high PARTITION OF \"my shop\".\"Big.Users\" FOR VALUES FROM (5) TO (9)");
  session.run("INSERT INTO \"my shop\".\"Big.Users\" VALUES (1), (7)");
  session.run("CREATE VIEW seen AS SELECT \"Id,1\" + 10 AS id FROM \"my shop\".\"Big.Users\"");
  EXPECT_THAT(scan("table=my%20shop.Big%2EUsers&column=Id%2C1"), UnorderedElementsAre("1", "7"));
  EXPECT_THAT(scan("table=seen&column=id"), UnorderedElementsAre("11", "17"));
  EXPECT_THAT(scan("query=SELECT id || ':' || 'x' FROM seen ORDER BY 1 -- these"),
              ElementsAre("11:x", "17:x"));
  EXPECT_EQ(open_source(location_of("query=SELECT id FROM seen;"), {})->expected_count(), 2u);
}

TEST(PostgresSource, SaysWhatIsWrongAndWhatThereIs) {
  PostgresSession session(server());
  session.run("CREATE TABLE wrongs(id int, name text)");
  const auto refused = [](const std::string& selection) {
    return message_of<std::invalid_argument>([&] { scan(selection); });
  };
  EXPECT_THAT(refused("table=wrong&column=id"), HasSubstr("has no table \"wrong\"; its tables"));
  EXPECT_THAT(refused("table=Wrongs&column=id"), HasSubstr("\"wrongs\""));
  EXPECT_THAT(refused("table=wrongs&column=key"), HasSubstr("its columns: \"id\", \"name\""));
  EXPECT_THAT(refused("table=wrongs&column=id,name"), HasSubstr("a key is one column"));
  EXPECT_THAT(refused("query=SELECT id, name FROM wrongs"), HasSubstr("selects 2 columns"));
  EXPECT_THAT(refused("query=SELECT id FROM wrongs WHERE id = $1"), HasSubstr("has parameters"));
  EXPECT_THAT(refused("query=SELECT 1; SELECT 2"), HasSubstr("multiple commands"));
  EXPECT_THAT(refused("query=SELECT 1) TO '/tmp/x' --"), HasSubstr("syntax error"));
  EXPECT_THAT(refused("query=CREATE TABLE x(id int)"), HasSubstr("is no SELECT"));
  EXPECT_THAT(refused("table=wrongs&column=id&sslmod=require"), HasSubstr("allowed: host"));
  session.run("INSERT INTO wrongs VALUES (1, 'x')");
  EXPECT_THROW(scan("query=DELETE FROM wrongs RETURNING id"), StoreError);  // only read
  EXPECT_EQ(session.run("SELECT count(*) FROM wrongs"), "1");
}

// Half of the rows are not all of them.
TEST(PostgresSource, RefusesATableWhoseRowsAPolicyHides) {
  PostgresSession session(server());
  session.run("CREATE TABLE hidden(id int); INSERT INTO hidden VALUES (1), (2)");
  session.run("CREATE ROLE looker LOGIN; GRANT SELECT ON hidden TO looker");
  session.run("ALTER TABLE hidden ENABLE ROW LEVEL SECURITY");
  session.run("CREATE POLICY one ON hidden USING (id = 1)");
  auto location = parse_server_location(location_of("hidden", "id"));
  location.user = "looker";
  EXPECT_THAT(message_of<StoreError>([&] {
                PostgresSource source(location, {});
                keys_of(source);
              }),
              HasSubstr("row-level security"));
}

TEST(PostgresSource, AdvisesWhereEqualKeysHaveOtherBytes) {
  PostgresSession session(server());
  session.run("CREATE EXTENSION citext");
  session.run(
      "CREATE COLLATION anycase (provider = icu, locale = 'und-u-ks-level2', "
      "deterministic = false)");
  session.run("CREATE DOMAIN label AS text");
  session.run(
      "CREATE TABLE equal(t text, l label, c citext, n text COLLATE anycase, b char(9), "
      "i int, d numeric, u uuid, y bytea)");
  const auto advice = [](const std::string& column, const SourceOptions& options = {}) {
    return open_source(location_of("equal", column), options)->equality_advice();
  };
  EXPECT_THAT(advice("t"), IsEmpty());
  EXPECT_THAT(advice("l"), IsEmpty());
  EXPECT_THAT(advice("y"), IsEmpty());
  EXPECT_THAT(advice("c"), HasSubstr("--normalise lower"));
  EXPECT_THAT(advice("c", {.normalise = Normalise::lower}), HasSubstr("A to Z alone"));
  EXPECT_THAT(advice("n"), HasSubstr("COLLATE anycase"));
  EXPECT_THAT(advice("b"), HasSubstr("--normalise trim"));
  EXPECT_THAT(advice("i"), HasSubstr("--normalise integer"));
  EXPECT_THAT(advice("i", {.encoding = KeyEncoding::u64}), IsEmpty());
  EXPECT_THAT(advice("d", {.encoding = KeyEncoding::u64}), HasSubstr("--normalise integer"));
  EXPECT_THAT(advice("u"), HasSubstr("lower case"));
}

TEST(PostgresSource, EndsWhereTheConsumerDoes) {
  const auto source =
      open_source(location_of("query=SELECT i FROM generate_series(1, 100000) AS i"), {});
  std::uint64_t seen = 0;
  const auto totals = source->for_each_batch([&](const Batch& batch) {
    seen += batch.keys.size();
    return seen < 20000;
  });
  EXPECT_LT(totals.key_count, 60000u);
  EXPECT_THROW(source->for_each_batch([](const Batch&) -> bool { throw StoreError("full"); }),
               StoreError);
  EXPECT_EQ(keys_of(*source).size(), 100000u);
}

// Rows that come and go meanwhile are in the snapshot whole or not at all.
TEST(PostgresSource, ReadsOneSnapshotWhileWritersRun) {
  PostgresSession session(server());
  session.run("CREATE TABLE busy(id int PRIMARY KEY)");
  session.run("INSERT INTO busy SELECT generate_series(1, 100000)");
  std::atomic<bool> is_over = false;
  std::thread writer([&] {
    PostgresSession other(server());
    // Each moves a row to its place 200,000 further on: however often, there are 100,000.
    for (int i = 1; !is_over && i < 100000; i += 7) {
      other.run("UPDATE busy SET id = id + 200000 WHERE id = " + std::to_string(i));
    }
  });
  const auto keys = scan("table=busy&column=id");
  is_over = true;
  writer.join();
  std::set<int> rows;
  for (const std::string& key : keys) rows.insert(std::stoi(key) % 200000);
  EXPECT_EQ(keys.size(), 100000u);
  EXPECT_EQ(rows.size(), 100000u);
}

TEST(PostgresSource, NeverSaysAPassword) {
  const std::string text = "postgres://ann:s3cret@127.0.0.1:1/shop?table=a&column=b";
  EXPECT_THAT(
      message_of<StoreError>([&] { open_source(text, {}); }),
      ::testing::AllOf(HasSubstr("postgres://ann@127.0.0.1:1/shop"), Not(HasSubstr("s3cret"))));
}

}  // namespace
}  // namespace bloomery
