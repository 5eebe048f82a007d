// SPDX-License-Identifier: Apache-2.0
// Rows that are written past the program, and a guard that denies none of them.
#include <bloomery/bloomery.h>
#include <bloomery/follow/follower.h>
#include <bloomery/source/open_changes.h>
#include <sqlite3.h>
#include <unistd.h>

#include <filesystem>
#include <iostream>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

using namespace bloomery;

// Somebody's connection to the database, who has never heard of filters.
class Connection {
 public:
  explicit Connection(const std::string& file) {
    if (sqlite3_open(file.c_str(), &handle_) != SQLITE_OK) throw std::runtime_error("no database");
    sqlite3_busy_timeout(handle_, 10'000);
  }
  ~Connection() { sqlite3_close(handle_); }

  // Runs a statement, and returns whether there was a row.
  bool run(const std::string& statement) {
    const std::lock_guard lock(mutex_);
    bool any = false;
    const auto note = [](void* found, int, char**, char**) {
      return *static_cast<bool*>(found) = true, 0;
    };
    char* error = nullptr;
    if (sqlite3_exec(handle_, statement.c_str(), note, &any, &error) == SQLITE_OK) return any;
    const std::string why = error;
    sqlite3_free(error);
    throw std::runtime_error(why);
  }

 private:
  sqlite3* handle_ = nullptr;
  std::mutex mutex_;
};

int main() {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("followed_guard." + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  int denied = 0;
  {
    const std::string file = (folder / "shop.db").string();
    Connection database(file);
    database.run("PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF; CREATE TABLE users(name TEXT)");
    database.run("CREATE UNIQUE INDEX by_name ON users(name); INSERT INTO users VALUES('alice')");
    const std::string table = "sqlite:" + file + "?table=users&column=name";

    // `users` gets the rows that are there, and from then on each change, with the watermark.
    MemoryPlace<> users(make_filter(FilterKind::blocked, {.capacity = 10'000}));
    const auto source = open_change_source(table);
    Follower follower(*source, users, {.filter = {.capacity = 10'000}});
    std::jthread thread([&](const std::stop_token& stop) { follower.run(stop); });
    while (!follower.fresh_as_of()) std::this_thread::yield();

    // The fence says how far the database is, which decides about keys that the filter does not
    // have.
    CoalescedFence fence([&] { return open_fence(table); });
    Connection queries(file);
    int query_count = 0;
    MemoryCache<> cache({.capacity = 1'000});
    CacheGuard<> guard(
        users, cache,
        [&](std::span<const Key> keys) {
          ++query_count;
          std::vector<std::optional<std::string>> rows;
          for (const Key key : keys) {
            const bool is_there =
                queries.run("SELECT 1 FROM users WHERE name='" + std::string(key) + "'");
            rows.push_back(is_there ? std::optional<std::string>(key) : std::nullopt);
          }
          return rows;
        },
        {.mode = GuardMode::strict,
         .fence = [&](const CallContext& context) { return fence.ask(context); },
         .fence_wait = std::chrono::milliseconds(200)});

    for (int i = 0; i < 200; ++i) {
      const std::string name = "user " + std::to_string(i);
      guard.get(name);  // nobody has that name yet
      database.run("INSERT INTO users VALUES('" + name + "')");
      if (!guard.get(name)) ++denied;
    }
    std::cout << "200 rows asked for right after their commit: " << denied << " denied\n";
    for (int i = 0; i < 2'000; ++i) guard.get("nobody " + std::to_string(i));
    const GuardCounters counters = guard.counters();
    std::cout << counters.filter_absents << " keys denied without a query, " << query_count
              << " queries and " << fence.questions() << " questions how far the database is\n";
    thread.request_stop();
    thread.join();
    source->remove();  // nothing of it stays in the database
  }
  std::filesystem::remove_all(folder);
  return denied;
}
