// SPDX-License-Identifier: Apache-2.0
// What the application does with its table goes on while it is followed, or the table is not
// followed.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "bloomery/errors.h"
#include "bloomery/source/open_changes.h"
#include "bloomery/source/postgres/postgres_rows.h"
#include "tests/source/how_to_page.h"
#include "tests/source/postgres/followed.h"
#include "tests/source/postgres/postgres_fixture.h"
#include "tests/source/source_helpers.h"

namespace bloomery {
namespace {

using ::testing::HasSubstr;
using testing::PostgresSession;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

// Whoever exchanges a primary key does not know of a publication that lists the old one.
TEST(PostgresChanges, LetsTheApplicationExchangeItsPrimaryKey) {
  PostgresSession session(server());
  session.run("CREATE TABLE keyed(id int PRIMARY KEY, alt int NOT NULL, k int)");
  session.run("INSERT INTO keyed VALUES (1, 2, 3)");
  Followed followed("table=keyed&column=k");
  session.run("ALTER TABLE keyed DROP CONSTRAINT keyed_pkey, ADD PRIMARY KEY (alt)");
  EXPECT_THROW(for (int i = 0; i < 200; ++i) followed.poll(), SourceChanged);
  EXPECT_FALSE(followed.start_again());
  EXPECT_NO_THROW(session.run("UPDATE keyed SET k = 4"));
  EXPECT_TRUE(followed.catch_up());
  EXPECT_TRUE(followed.keys().contains("4"));
  // UPDATEs of a table that cannot be followed any more are not refused for our sake.
  session.run("ALTER TABLE keyed REPLICA IDENTITY NOTHING");
  EXPECT_THROW(for (int i = 0; i < 200; ++i) followed.poll(), SourceChanged);
  EXPECT_THROW(followed.start_again(), std::invalid_argument);
  EXPECT_NO_THROW(session.run("UPDATE keyed SET k = 5"));
}

// The application's statements go on working, whatever its table is like.
TEST(PostgresChanges, NeverBreaksTheApplicationsStatements) {
  PostgresSession session(server());
  struct Table {
    const char* sql;
    const char* selection;
    bool is_followed;
  };
  for (const Table& table : {
           Table{"(id int PRIMARY KEY, k text, v int)", "column=k", true},
           Table{"(a int, b int, k text, v int, PRIMARY KEY (b, a))", "column=k", true},
           Table{"(k text UNIQUE NOT NULL, v int)", "column=k", false},
           Table{"(k text UNIQUE NOT NULL, v int)", "column=k&updates=none", true},
           Table{"(k text, v int)", "column=k", false},
           Table{"(id int PRIMARY KEY DEFERRABLE, k text, v int)", "column=k", false},
           Table{"(k text, v int); ALTER TABLE odd REPLICA IDENTITY FULL", "column=k", true},
           Table{"(i int UNIQUE NOT NULL, k text, v int); ALTER TABLE odd REPLICA IDENTITY USING "
                 "INDEX odd_i_key",
                 "column=k", true},
           Table{"(id int PRIMARY KEY, k text, v int); ALTER TABLE odd REPLICA IDENTITY NOTHING",
                 "column=k", false},
           Table{"(id int PRIMARY KEY, k text, v int) PARTITION BY RANGE (id); "
                 "CREATE TABLE odd_part PARTITION OF odd DEFAULT",
                 "column=k", true},
           Table{"(k text, v int) PARTITION BY RANGE (v); "
                 "CREATE TABLE odd_part PARTITION OF odd DEFAULT",
                 "column=k", false},
           Table{"(id int PRIMARY KEY, v int, k text GENERATED ALWAYS AS (v::text) STORED)",
                 "column=k", false},
       }) {
    SCOPED_TRACE(table.sql);
    session.run(std::string("DROP TABLE IF EXISTS odd CASCADE; CREATE TABLE odd ") + table.sql);
    const auto source =
        open_change_source(location_of(std::string("table=odd&") + table.selection));
    if (table.is_followed) {
      EXPECT_FALSE(source->start(std::nullopt));
    } else {
      EXPECT_THAT(message_of<std::invalid_argument>([&] { source->start(std::nullopt); }),
                  HasSubstr("cannot be followed"));
    }
    EXPECT_NO_THROW(session.run("UPDATE odd SET v = v + 1; DELETE FROM odd WHERE v > 5"));
    source->remove();
    EXPECT_NO_THROW(session.run("UPDATE odd SET v = v + 1; DELETE FROM odd"));
  }
  EXPECT_EQ(leftovers(), (std::vector<std::string>{"", ""}));
}

TEST(PostgresChanges, NeedsTheRightsThatAreDocumentedAndNoOthers) {
  PostgresSession session(server());
  session.run(
      "CREATE SCHEMA closed; CREATE TABLE closed.users(id text PRIMARY KEY, age int, more text);"
      "CREATE ROLE follows LOGIN REPLICATION; CREATE ROLE reads LOGIN; CREATE ROLE guards LOGIN;"
      "CREATE ROLE anybody LOGIN; CREATE ROLE stands_in LOGIN REPLICATION;"
      "GRANT CREATE ON DATABASE postgres TO follows;"
      "GRANT USAGE ON SCHEMA closed TO follows, reads, guards, stands_in;"
      "ALTER TABLE closed.users OWNER TO follows;"
      "GRANT SELECT ON closed.users TO stands_in; GRANT SELECT (id, age) ON closed.users TO "
      "guards");
  const auto as = [](const std::string& role) {
    std::string location = location_of("table=closed.users&column=id");
    return location.replace(location.find("postgres@"), 8, role);
  };
  const auto source = open_change_source(as("follows"), {.slot = "least"});
  EXPECT_FALSE(source->start(std::nullopt));
  std::set<std::string> keys;
  source->scan([](const Batch&) { return true; });
  session.run("INSERT INTO closed.users VALUES ('ann', 30)");
  const Watermark now = open_fence(as("reads"))->ask();
  std::optional<Watermark> seen;
  for (const auto until = Clock::now() + 20s;
       !(seen && seen->reaches(now)) && Clock::now() < until;) {
    source->poll(
        [&](const Changes& changes) {
          keys.insert(changes.keys.begin(), changes.keys.end());
          if (changes.watermark) seen = changes.watermark;
        },
        20ms);
  }
  EXPECT_TRUE(seen && seen->reaches(now));
  EXPECT_TRUE(keys.contains("ann"));
  source->confirm(*seen);
  const Key ann("ann");
  EXPECT_EQ(PostgresRows(as("guards"), {.value = "age"})({&ann, 1}, kNoContext),
            (PostgresRows::Rows{"30"}));
  EXPECT_THAT(message_of<StoreError>([&] { open_fence(as("anybody"))->ask(); }),
              HasSubstr("permission denied for schema closed"));
  // Nobody need own anything if the publication is there.
  const auto other = open_change_source(as("stands_in"), {.slot = "other"});
  EXPECT_FALSE(other->start(std::nullopt));
  other->confirm(*seen);
  other->remove();
  source->remove();
  session.run(
      "DROP SCHEMA closed CASCADE; REVOKE CREATE ON DATABASE postgres FROM follows;"
      "DROP ROLE follows, reads, guards, anybody, stands_in");
}

TEST(PostgresChanges, TheHowToPageMakesAUserWhoMayFollowOnceTheOwnerHasPublished) {
  PostgresSession session(server());
  session.run("CREATE TABLE users(id int PRIMARY KEY)");
  session.run(how_to_make_follower("PostgreSQL"));
  std::string location = location_of("table=users&column=id");
  location.replace(location.find("postgres@"), 8, "follower");
  const auto source = open_change_source(location, {.slot = "main"});
  const std::string why = message_of<StoreError>([&] { source->start(std::nullopt); });
  const std::size_t statement = why.find("CREATE PUBLICATION");
  ASSERT_NE(statement, why.npos) << why;
  session.run(why.substr(statement, why.rfind("): ") + 1 - statement));
  EXPECT_FALSE(source->start(std::nullopt));
  source->remove();
  session.run("DROP TABLE users; DROP OWNED BY follower; DROP ROLE follower");
}

TEST(PostgresChanges, RefusesWhatCannotBeFollowed) {
  PostgresSession session(server());
  session.run("CREATE UNLOGGED TABLE quick(id int PRIMARY KEY)");
  session.run("CREATE VIEW looks AS SELECT 1 AS id");
  session.run("CREATE TYPE mood AS ENUM ('good', 'bad')");
  session.run("CREATE TABLE moods(id mood PRIMARY KEY)");
  session.run("CREATE TABLE parent(id int PRIMARY KEY); CREATE TABLE child() INHERITS (parent)");
  const auto refused = [](const std::string& selection, const ChangeOptions& options = {}) {
    return message_of<std::invalid_argument>(
        [&] { open_change_source(location_of(selection), options)->start(std::nullopt); });
  };
  EXPECT_THAT(refused("table=quick&column=id"), HasSubstr("UNLOGGED"));
  EXPECT_THAT(refused("table=looks&column=id"), HasSubstr("is no table"));
  EXPECT_THAT(refused("table=moods&column=id"), HasSubstr("printed otherwise"));
  EXPECT_THAT(refused("table=parent&column=id"), HasSubstr("inherit"));
  EXPECT_THAT(refused("query=SELECT 1"), HasSubstr("a query does not say"));
  EXPECT_THAT(refused("table=a&column=b,c"), HasSubstr("cannot be followed"));
  EXPECT_THAT(refused("table=a&column=b", {.slot = "No Name"}), HasSubstr("no name of a slot"));
  EXPECT_THAT(refused("table=a&column=b&updates=all"), HasSubstr("updates=none"));
}

}  // namespace
}  // namespace bloomery
