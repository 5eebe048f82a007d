// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "bloomery/source/open_changes.h"

// Promises that every database keeps which can be followed. A database is one entry: how to speak
// to it, and how its tables are named.
namespace bloomery {

// A session of an application's.
class SqlSession {
 public:
  virtual ~SqlSession() = default;
  // Runs statements one after the other, separated by semicolons; fails the test where one fails.
  virtual void run(const std::string& sql) = 0;
};

struct DatabaseUnderTest {
  std::string name;
  std::function<std::unique_ptr<SqlSession>()> connect;
  // Location of a column; the tables are those of kContractTables.
  std::function<std::string(const std::string& table, const std::string& column)> location;
  // Lists what is in the database beside the application's tables: triggers, slots, publications.
  std::function<std::vector<std::string>()> leftovers;
  ChangeOptions options{};
  bool resumes = true;     // start(from) goes on where it was, with `options`
  bool tells_ends = true;  // drop_seen knows of a transaction that everybody sees before long
};

// Made anew for each promise, in any dialect.
inline constexpr const char* kContractTables =
    "DROP TABLE IF EXISTS users; DROP TABLE IF EXISTS notes; "
    "CREATE TABLE users(id VARCHAR(100) NOT NULL PRIMARY KEY, name VARCHAR(100)); "
    "CREATE TABLE notes(n INTEGER NOT NULL PRIMARY KEY, k VARCHAR(100))";

class ChangeSourceContract {
 public:
  explicit ChangeSourceContract(DatabaseUnderTest tested) : tested_(std::move(tested)) {}

  void check_all() {
    const ::testing::ScopedTrace trace(__FILE__, __LINE__, tested_.name);
    with_tables([&] { scan_and_poll_give_every_row(); });
    with_tables([&] { a_watermark_comes_at_ends_of_transactions_alone(); });
    with_tables([&] { a_quiet_table_has_a_watermark(); });
    with_tables([&] { the_fence_lies_above_every_row_that_is_visible(); });
    with_tables([&] { no_watermark_lies_above_a_fence_that_is_asked_later(); });
    with_tables([&] { what_is_rolled_back_stops_nothing(); });
    with_tables([&] { a_changed_key_comes_and_the_old_one_counts_as_deleted(); });
    with_tables([&] { rows_that_change_or_go_are_told_to_who_asks(); });
    if (tested_.tells_ends) with_tables([&] { what_has_ended_comes_to_be_seen(); });
    with_tables([&] { rows_without_a_key_are_none(); });
    with_tables([&] { what_is_drawn_has_come_where_its_watermark_has(); });
    with_tables([&] { it_goes_on_where_it_was(); });
    with_tables([&] { it_does_not_go_on_from_elsewhere(); });
    with_tables([&] { a_table_made_anew_is_another_source(); });
    with_tables([&] { nothing_is_left_behind(); });
  }

 protected:
  // All that a source has handed over.
  struct Seen {
    std::set<std::string, std::less<>> keys;
    std::uint64_t deleted_count = 0;
    std::vector<std::string> touched;
    std::uint64_t untold_count = 0;
    std::vector<std::uint64_t> ended;
    std::optional<Watermark> watermark;

    void take(const Changes& changes) {
      ended.insert(ended.end(), changes.ended.begin(), changes.ended.end());
      keys.insert(changes.keys.begin(), changes.keys.end());
      deleted_count += changes.deleted_count;
      touched.insert(touched.end(), changes.touched.begin(), changes.touched.end());
      untold_count += changes.untold_count;
      if (changes.watermark) watermark = changes.watermark;
    }
    bool has(const std::string& key) const { return keys.contains(key); }
  };

  static constexpr std::chrono::milliseconds kPatience{20};

  void with_tables(const std::function<void()>& promise) {
    session_ = tested_.connect();
    session_->run(kContractTables);
    promise();
    session_.reset();
  }

  std::unique_ptr<ChangeSource> source(const std::string& table, const std::string& column) {
    return open_change_source(tested_.location(table, column), tested_.options);
  }
  std::unique_ptr<FenceSource> fence(const std::string& table, const std::string& column) {
    return open_fence(tested_.location(table, column), tested_.options);
  }

  void insert(const std::string& id) {
    session_->run("INSERT INTO users(id) VALUES ('" + id + "')");
  }

  static void scan(ChangeSource& from, Seen& seen) {
    from.scan([&](const Batch& batch) {
      seen.keys.insert(batch.keys.begin(), batch.keys.end());
      return true;
    });
  }
  static void poll_once(ChangeSource& from, Seen& seen) {
    from.poll([&](const Changes& changes) { seen.take(changes); }, kPatience);
  }
  // Polls until all is there that can be seen now.
  static void catch_up(ChangeSource& from, FenceSource& fence, Seen& seen) {
    const Watermark now = fence.ask();
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!seen.watermark || !seen.watermark->reaches(now)) {
      ASSERT_LT(std::chrono::steady_clock::now(), until) << "the fence is never reached";
      poll_once(from, seen);
    }
  }
  // Rows that are there, the scan, and what came until it ended.
  static void begin(ChangeSource& from, FenceSource& fence, Seen& seen) {
    EXPECT_FALSE(from.start(std::nullopt));
    scan(from, seen);
    catch_up(from, fence, seen);
  }

  void what_is_drawn_has_come_where_its_watermark_has() {
    for (int i = 0; i < 20; ++i) insert("before " + std::to_string(i));
    const auto from = source("users", "id");
    const auto asked = fence("users", "id");
    Seen seen;
    begin(*from, *asked, seen);
    for (int i = 0; i < 100; ++i) insert("after " + std::to_string(i));
    session_->run("INSERT INTO notes(n) VALUES (1)");
    std::set<std::string> drawn;
    for (int i = 0; i < 10; ++i) {
      const auto some = from->draw();
      if (!some) return;  // it cannot
      EXPECT_LE(some->keys.size(), kMostDrawn);
      drawn.insert(some->keys.begin(), some->keys.end());
      while (!seen.watermark->reaches(some->behind)) poll_once(*from, seen);
      for (const std::string& key : some->keys) EXPECT_TRUE(seen.has(key)) << key;
    }
    EXPECT_GT(drawn.size(), 30U);
  }

  void scan_and_poll_give_every_row() {
    for (int i = 0; i < 20; ++i) insert("before " + std::to_string(i));
    const auto from = source("users", "id");
    EXPECT_FALSE(from->start(std::nullopt));
    insert("between");
    Seen seen;
    bool is_first = true;
    const SourceTotals totals = from->scan([&](const Batch& batch) {
      seen.keys.insert(batch.keys.begin(), batch.keys.end());
      if (std::exchange(is_first, false)) poll_once(*from, seen);
      return true;
    });
    EXPECT_GE(totals.key_count, 20U);
    insert("after");
    const auto asked = fence("users", "id");
    catch_up(*from, *asked, seen);
    for (int i = 0; i < 20; ++i) EXPECT_TRUE(seen.has("before " + std::to_string(i)));
    EXPECT_TRUE(seen.has("between"));
    EXPECT_TRUE(seen.has("after"));
    EXPECT_EQ(seen.keys.size(), 22U);
    from->remove();
  }

  void a_watermark_comes_at_ends_of_transactions_alone() {
    const auto from = source("users", "id");
    const auto asked = fence("users", "id");
    Seen seen;
    begin(*from, *asked, seen);
    session_->run(
        "BEGIN; INSERT INTO users(id) VALUES ('one'); INSERT INTO users(id) VALUES "
        "('two'); INSERT INTO users(id) VALUES ('three'); COMMIT");
    const Watermark now = asked->ask();
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!seen.watermark->reaches(now) && std::chrono::steady_clock::now() < until) {
      from->poll(
          [&](const Changes& changes) {
            seen.take(changes);
            if (!changes.watermark || !changes.watermark->reaches(now)) return;
            EXPECT_EQ(seen.keys.size(), 3U);
          },
          kPatience);
    }
    EXPECT_TRUE(seen.watermark->reaches(now));
    from->remove();
  }

  void a_quiet_table_has_a_watermark() {
    const auto from = source("users", "id");
    const auto asked = fence("users", "id");
    Seen seen;
    begin(*from, *asked, seen);
    seen.watermark.reset();
    for (int i = 0; i < 100 && !seen.watermark; ++i) poll_once(*from, seen);
    ASSERT_TRUE(seen.watermark);
    // The change is not of this table, but of the same database.
    session_->run("INSERT INTO notes(n, k) VALUES (1, 'a note')");
    catch_up(*from, *asked, seen);
    EXPECT_TRUE(seen.keys.empty());
    from->remove();
  }

  void the_fence_lies_above_every_row_that_is_visible() {
    const auto from = source("users", "id");
    const auto asked = fence("users", "id");
    Seen seen;
    begin(*from, *asked, seen);
    for (int i = 0; i < 30; ++i) {
      const std::string key = "row " + std::to_string(i);
      insert(key);
      const Watermark now = asked->ask();
      EXPECT_EQ(now.source, seen.watermark->source);
      EXPECT_TRUE(!seen.watermark->reaches(now) || seen.has(key)) << key;
      catch_up(*from, *asked, seen);
      EXPECT_TRUE(seen.has(key)) << key;
    }
    from->remove();
  }

  // Whoever sees otherwise takes it for a database that lost rows (HistoryWatch).
  void no_watermark_lies_above_a_fence_that_is_asked_later() {
    const auto from = source("users", "id");
    const auto asked = fence("users", "id");
    Seen seen;
    begin(*from, *asked, seen);
    for (int i = 0; i < 30; ++i) {
      insert("row " + std::to_string(i));
      for (int polls = 0; polls < 2; ++polls) {
        from->poll([&](const Changes& changes) { seen.take(changes); },
                   std::chrono::milliseconds(1));
        const Watermark now = asked->ask();
        ASSERT_EQ(now.source, seen.watermark->source);
        ASSERT_LE(seen.watermark->position, now.position);
      }
    }
    from->remove();
  }

  void what_is_rolled_back_stops_nothing() {
    const auto from = source("users", "id");
    const auto asked = fence("users", "id");
    Seen seen;
    begin(*from, *asked, seen);
    session_->run("BEGIN; INSERT INTO users(id) VALUES ('undone'); ROLLBACK");
    insert("done");
    catch_up(*from, *asked, seen);
    EXPECT_TRUE(seen.has("done"));
    from->remove();
  }

  void a_changed_key_comes_and_the_old_one_counts_as_deleted() {
    insert("old");
    insert("gone");
    const auto from = source("users", "id");
    const auto asked = fence("users", "id");
    Seen seen;
    begin(*from, *asked, seen);
    const std::uint64_t deleted_before = seen.deleted_count;
    session_->run("UPDATE users SET id = 'new' WHERE id = 'old'");
    session_->run("UPDATE users SET name = 'x' WHERE id = 'new'");
    session_->run("DELETE FROM users WHERE id = 'gone'");
    catch_up(*from, *asked, seen);
    EXPECT_TRUE(seen.has("new"));
    EXPECT_EQ(seen.deleted_count - deleted_before, 2U);
    from->remove();
  }

  void rows_that_change_or_go_are_told_to_who_asks() {
    for (const char* id : {"renamed", "changed", "gone", "untouched"}) insert(id);
    const auto who = [&](bool tells_touched) {
      ChangeOptions options = tested_.options;
      options.tells_touched = tells_touched;
      const auto from = open_change_source(tested_.location("users", "id"), options);
      const auto asked = fence("users", "id");
      Seen seen;
      begin(*from, *asked, seen);
      seen.touched.clear();
      const std::uint64_t deleted_before = seen.deleted_count;
      session_->run("UPDATE users SET id = 'new name' WHERE id = 'renamed'");
      session_->run("UPDATE users SET name = 'x' WHERE id = 'changed'");
      session_->run("DELETE FROM users WHERE id = 'gone'");
      catch_up(*from, *asked, seen);
      EXPECT_EQ(seen.deleted_count - deleted_before, 2U);
      EXPECT_EQ(seen.untold_count, 0U);
      EXPECT_TRUE(seen.has("new name"));
      from->remove();
      return seen.touched;
    };
    EXPECT_EQ(who(true), (std::vector<std::string>{"renamed", "changed", "gone"}));
    session_->run(
        "UPDATE users SET id = 'renamed', name = NULL WHERE id = 'new name'; "
        "UPDATE users SET name = NULL; INSERT INTO users(id) VALUES ('gone')");
    EXPECT_TRUE(who(false).empty());
  }

  void what_has_ended_comes_to_be_seen() {
    const auto from = source("users", "id");
    const auto asked = fence("users", "id");
    Seen seen;
    begin(*from, *asked, seen);
    session_->run("INSERT INTO users(id) VALUES ('one')");
    session_->run("UPDATE users SET id = 'two'");
    catch_up(*from, *asked, seen);
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!seen.ended.empty() && std::chrono::steady_clock::now() < until) {
      from->drop_seen(seen.ended);
    }
    EXPECT_TRUE(seen.ended.empty());
    from->remove();
  }

  void rows_without_a_key_are_none() {
    session_->run("INSERT INTO notes(n, k) VALUES (1, NULL), (2, 'two')");
    const auto from = source("notes", "k");
    const auto asked = fence("notes", "k");
    EXPECT_FALSE(from->start(std::nullopt));
    Seen seen;
    const SourceTotals totals = from->scan([&](const Batch& batch) {
      seen.keys.insert(batch.keys.begin(), batch.keys.end());
      return true;
    });
    EXPECT_EQ(totals.key_count, 1U);
    EXPECT_EQ(totals.null_count, 1U);
    session_->run("INSERT INTO notes(n, k) VALUES (3, NULL), (4, '')");
    session_->run("UPDATE notes SET k = 'one' WHERE n = 1");
    session_->run("UPDATE notes SET k = NULL WHERE n = 2");
    catch_up(*from, *asked, seen);
    EXPECT_EQ(seen.keys, (std::set<std::string, std::less<>>{"", "one", "two"}));
    from->remove();
  }

  void it_goes_on_where_it_was() {
    if (!tested_.resumes) return;
    insert("first");
    auto from = source("users", "id");
    const auto asked = fence("users", "id");
    Seen before;
    begin(*from, *asked, before);
    const Watermark kept = *before.watermark;
    insert("after the watermark");
    catch_up(*from, *asked, before);
    from->confirm(kept);
    from.reset();
    insert("while nobody looks");

    from = source("users", "id");
    ASSERT_TRUE(from->start(kept));
    Seen after;
    catch_up(*from, *asked, after);
    EXPECT_TRUE(after.has("after the watermark"));
    EXPECT_TRUE(after.has("while nobody looks"));
    from->remove();
  }

  void it_does_not_go_on_from_elsewhere() {
    const auto from = source("users", "id");
    const auto asked = fence("users", "id");
    Seen seen;
    begin(*from, *asked, seen);
    EXPECT_FALSE(from->start(Watermark{.source = {7, 7}, .position = seen.watermark->position}));
    from->remove();
  }

  void a_table_made_anew_is_another_source() {
    insert("in the old table");
    const auto from = source("users", "id");
    const auto asked = fence("users", "id");
    Seen seen;
    begin(*from, *asked, seen);
    session_->run(
        "DROP TABLE users; CREATE TABLE users(id VARCHAR(100) NOT NULL PRIMARY KEY, name "
        "VARCHAR(100)); INSERT INTO users(id) VALUES ('in the new table')");
    try {
      EXPECT_FALSE(seen.watermark->reaches(asked->ask()));
    } catch (const SourceChanged&) {
      // An exception is as good.
    }
    EXPECT_THROW(for (int i = 0; i < 100; ++i) poll_once(*from, seen), SourceChanged);
    EXPECT_FALSE(from->start(seen.watermark));
    scan(*from, seen);
    EXPECT_TRUE(seen.has("in the new table"));
    from->remove();
  }

  void nothing_is_left_behind() {
    const std::vector<std::string> before = tested_.leftovers();
    auto from = source("users", "id");
    Seen seen;
    begin(*from, *fence("users", "id"), seen);
    insert("a row");
    from->remove();
    from.reset();
    EXPECT_EQ(tested_.leftovers(), before);
    session_->run("UPDATE users SET id = 'the application goes on'; DELETE FROM users");
    // A later process removes what a killed one has left.
    source("users", "id")->start(std::nullopt);
    // A slot of a lost connection is a server's for a moment, and needs the publication.
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    do {
      source("users", "id")->remove();
    } while (tested_.leftovers() != before && std::chrono::steady_clock::now() < until);
    EXPECT_EQ(tested_.leftovers(), before);
  }

  const DatabaseUnderTest tested_;
  std::unique_ptr<SqlSession> session_;
};

}  // namespace bloomery
