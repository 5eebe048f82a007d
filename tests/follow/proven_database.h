// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sqlite3.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/source/temporary_folder.h"
#include "tests/support/mariadb_server.h"
#include "tests/support/mysql_server.h"
#include "tests/support/postgres_server.h"

namespace bloomery::testing {

// A session of an application's, which throws where a statement fails.
class ProvenSession {
 public:
  virtual ~ProvenSession() = default;
  virtual void run(const std::string& sql) = 0;
  // Returns whether users has this row.
  virtual bool has(const std::string& id) = 0;
};

// A database with a table users(id), in which a scene takes place.
class ProvenDatabase {
 public:
  virtual ~ProvenDatabase() = default;
  virtual std::string location() const = 0;
  virtual std::unique_ptr<ProvenSession> connect() const = 0;
  // Ends the server, if there is one, and starts it again: in good order, or without a moment to
  // tidy up.
  virtual void restart(bool /*is_crash*/) {}
  // Commits wait for a standby that does not answer, from now on or no longer: they are in the log,
  // and nobody sees them.
  virtual void hold_commits(bool /*is_held*/) { throw std::logic_error("has no standby"); }
  // The seconds since 1970 by the clock of a server of its own, in SQL.
  virtual std::string clock() const { throw std::logic_error("has no clock"); }
  // Inserts many rows at once.
  virtual std::string bulk(int count) const = 0;
  // Statements of which one after the other runs while others write and ask.
  virtual std::vector<std::string> troubles() const = 0;
};

class SqliteProven final : public ProvenDatabase {
 public:
  explicit SqliteProven(const std::string& mode) {
    connect()->run("PRAGMA journal_mode = " + mode + "; CREATE TABLE users(id TEXT PRIMARY KEY)");
  }
  std::string location() const override { return "sqlite:" + path_ + "?table=users&column=id"; }
  std::unique_ptr<ProvenSession> connect() const override {
    return std::make_unique<Session>(path_);
  }
  std::string bulk(int count) const override {
    return "WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < " +
           std::to_string(count) + ") INSERT INTO users(id) SELECT 'bulk ' || i FROM n";
  }
  std::vector<std::string> troubles() const override {
    return {"ALTER TABLE users RENAME TO away; ALTER TABLE away RENAME TO users",
            "BEGIN; WITH n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 3000) "
            "INSERT INTO users(id) SELECT 'undone ' || i FROM n; ROLLBACK",
            "WITH n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 10000) "
            "INSERT OR IGNORE INTO users(id) SELECT 'large ' || i FROM n",
            "DELETE FROM users", "VACUUM"};
  }

 private:
  class Session final : public ProvenSession {
   public:
    explicit Session(const std::string& path) {
      if (sqlite3_open(path.c_str(), &connection_) != SQLITE_OK) throw std::runtime_error(path);
      run("PRAGMA busy_timeout = 60000; PRAGMA synchronous = OFF");
    }
    ~Session() override { sqlite3_close(connection_); }
    void run(const std::string& sql) override { ask(sql); }
    bool has(const std::string& id) override {
      return ask("SELECT 1 FROM users WHERE id = '" + id + "'");
    }

   private:
    bool ask(const std::string& sql) {
      bool any = false;
      const auto note = [](void* found, int, char**, char**) {
        *static_cast<bool*>(found) = true;
        return 0;
      };
      if (sqlite3_exec(connection_, sql.c_str(), note, &any, nullptr) == SQLITE_OK) return any;
      throw std::runtime_error(sql + ": " + sqlite3_errmsg(connection_));
    }
    sqlite3* connection_ = nullptr;
  };

  TemporaryFolder folder_{};
  std::string path_ = folder_.path("shop.db");
};

class PostgresProven final : public ProvenDatabase {
 public:
  PostgresProven() { connect()->run("CREATE TABLE users(id TEXT PRIMARY KEY)"); }
  std::string location() const override { return server_.location("table=users&column=id"); }
  std::unique_ptr<ProvenSession> connect() const override {
    return std::make_unique<Session>(server_);
  }
  void restart(bool is_crash) override {
    server_.stop(is_crash ? SIGQUIT : SIGINT);
    server_.start();
  }
  void hold_commits(bool is_held) override {
    const std::string names = is_held ? "nobody" : "";
    PostgresSession session(server_);
    session.run("ALTER SYSTEM SET synchronous_standby_names = '" + names + "'");
    session.run("SELECT pg_reload_conf()");
    while (PostgresSession(server_).run("SHOW synchronous_standby_names") != names) {
    }
    while (is_held && !holds_commits(session)) {
    }
  }
  std::string clock() const override { return "extract(epoch FROM clock_timestamp())"; }
  std::string bulk(int count) const override {
    return "INSERT INTO users(id) SELECT 'bulk ' || i FROM generate_series(1, " +
           std::to_string(count) + ") i";
  }
  std::vector<std::string> troubles() const override {
    return {"ALTER TABLE users ADD COLUMN IF NOT EXISTS more TEXT",
            "BEGIN; INSERT INTO users(id) SELECT 'undone ' || i FROM generate_series(1, 3000) i; "
            "ROLLBACK",
            "INSERT INTO users(id) SELECT 'large ' || i FROM generate_series(1, 20000) i "
            "ON CONFLICT DO NOTHING",
            "TRUNCATE users",
            "COPY users(id) FROM PROGRAM 'for i in 1 2 3; do echo copied $i $$; done'",
            "ALTER TABLE users DROP COLUMN IF EXISTS more",
            "SET synchronous_commit = off; INSERT INTO users(id) VALUES ('loose ' || random())",
            "DO $$ BEGIN PERFORM pg_terminate_backend(active_pid, 5000) "
            "FROM pg_replication_slots WHERE active; "
            "PERFORM pg_drop_replication_slot(slot_name) "
            "FROM pg_replication_slots WHERE NOT active; "
            "EXCEPTION WHEN OTHERS THEN NULL; END $$",
            "VACUUM FULL users"};
  }

 private:
  // Sessions know the setting before the process that has them wait does. A commit that waits is
  // told not to.
  bool holds_commits(PostgresSession& session) {
    std::atomic<bool> is_over = false;
    const std::jthread commit([&] {
      PostgresSession(server_).run("SELECT pg_logical_emit_message(true, 'held?', '')");
      is_over = true;
    });
    while (!is_over) {
      if (session.run("SELECT pg_cancel_backend(pid) FROM pg_stat_activity "
                      "WHERE wait_event = 'SyncRep'") == "t") {
        return true;
      }
    }
    return false;
  }

  class Session final : public ProvenSession {
   public:
    explicit Session(const PostgresServer& server) : session_(server) {}
    void run(const std::string& sql) override { session_.run(sql); }
    bool has(const std::string& id) override {
      return !session_.run("SELECT 1 FROM users WHERE id = '" + id + "'").empty();
    }

   private:
    PostgresSession session_;
  };

  TemporaryFolder folder_{};
  PostgresServer server_{folder_.path("")};
};

class MariadbProven final : public ProvenDatabase {
 public:
  MariadbProven() {
    load_ = folder_.path("load.txt");
    std::ofstream(load_) << "loaded 1\nloaded 2\nloaded 3\n";
    std::filesystem::permissions(load_, std::filesystem::perms{0644});
    connect()->run("CREATE TABLE users(id VARCHAR(100) NOT NULL PRIMARY KEY)");
  }
  std::string location() const override { return server_.location("users", "id"); }
  std::unique_ptr<ProvenSession> connect() const override {
    return std::make_unique<Session>(server_.socket());
  }
  void restart(bool is_crash) override {
    server_.end(is_crash ? SIGKILL : SIGTERM);
    server_.start();
  }
  void hold_commits(bool is_held) override {
    connect()->run(
        "SET GLOBAL rpl_semi_sync_master_wait_point = 'AFTER_SYNC', "
        "GLOBAL rpl_semi_sync_master_timeout = 600000, GLOBAL rpl_semi_sync_master_enabled = " +
        std::string(is_held ? "ON" : "OFF"));
  }
  std::string clock() const override { return "UNIX_TIMESTAMP()"; }
  std::string bulk(int count) const override {
    return "INSERT INTO users(id) SELECT CONCAT('bulk ', seq) FROM seq_1_to_" +
           std::to_string(count);
  }
  std::vector<std::string> troubles() const override {
    return {"ALTER TABLE users ADD COLUMN IF NOT EXISTS more TEXT",
            "BEGIN; INSERT INTO users(id) SELECT CONCAT('undone ', seq) FROM seq_1_to_3000; "
            "ROLLBACK",
            "INSERT IGNORE INTO users(id) SELECT CONCAT('large ', seq) FROM seq_1_to_20000",
            "TRUNCATE users",
            "LOAD DATA INFILE '" + load_ + "' IGNORE INTO TABLE users(id)",
            "ALTER TABLE users DROP COLUMN IF EXISTS more",
            "SET binlog_format = STATEMENT; INSERT INTO users(id) VALUES (UUID()); "
            "SET binlog_format = ROW",
            "FLUSH BINARY LOGS; OPTIMIZE TABLE users; "
            "PURGE BINARY LOGS BEFORE NOW() + INTERVAL 1 DAY"};
  }

 private:
  class Session final : public ProvenSession {
   public:
    explicit Session(const std::string& socket) : client_(socket, "root", "shop") {}
    void run(const std::string& sql) override { client_.run(sql); }
    bool has(const std::string& id) override {
      return !client_.ask("SELECT 1 FROM users WHERE id = '" + id + "'").empty();
    }

   private:
    MariadbClient client_;
  };

  TemporaryFolder folder_{};
  MariadbServer server_{folder_.path("")};
  std::string load_{};
};

class MysqlProven final : public ProvenDatabase {
 public:
  MysqlProven() {
    load_ = folder_.path("load.txt");
    std::ofstream(load_) << "loaded 1\nloaded 2\nloaded 3\n";
    std::filesystem::permissions(load_, std::filesystem::perms{0644});
    connect()->run(
        "CREATE TABLE users(id VARCHAR(100) NOT NULL PRIMARY KEY); "
        "CREATE TABLE numbers(i INT PRIMARY KEY); SET cte_max_recursion_depth = 200000; "
        "INSERT INTO numbers WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n "
        "WHERE i < 100000) SELECT i FROM n; "
        "INSTALL PLUGIN rpl_semi_sync_source SONAME 'semisync_source.so'");
  }
  std::string location() const override { return server_.location("users", "id"); }
  std::unique_ptr<ProvenSession> connect() const override {
    return std::make_unique<Session>(server_.socket());
  }
  void restart(bool is_crash) override {
    server_.end(is_crash ? SIGKILL : SIGTERM);
    server_.start();
  }
  void hold_commits(bool is_held) override {
    connect()->run(
        "SET GLOBAL rpl_semi_sync_source_wait_point = 'AFTER_SYNC', "
        "GLOBAL rpl_semi_sync_source_wait_no_replica = ON, "
        "GLOBAL rpl_semi_sync_source_timeout = 600000, GLOBAL rpl_semi_sync_source_enabled = " +
        std::string(is_held ? "ON" : "OFF"));
  }
  std::string clock() const override { return "UNIX_TIMESTAMP()"; }
  std::string bulk(int count) const override {
    return "INSERT INTO users(id) SELECT CONCAT('bulk ', a.i + 100000 * (b.i - 1)) FROM numbers a, "
           "numbers b WHERE b.i <= " +
           std::to_string((count + 99'999) / 100'000) +
           " AND a.i <= " + std::to_string(std::min(count, 100'000));
  }
  std::vector<std::string> troubles() const override {
    return {"ALTER TABLE users ADD COLUMN more TEXT",
            "BEGIN; INSERT INTO users(id) SELECT CONCAT('undone ', i) FROM numbers "
            "WHERE i <= 3000; ROLLBACK",
            "INSERT IGNORE INTO users(id) SELECT CONCAT('large ', i) FROM numbers "
            "WHERE i <= 20000",
            "TRUNCATE users",
            "LOAD DATA INFILE '" + load_ + "' IGNORE INTO TABLE users(id)",
            "DROP TABLE IF EXISTS users2; CREATE TABLE users2 LIKE users; "
            "ALTER TABLE users2 ADD COLUMN other TEXT; DROP TABLE users2; "
            "ALTER TABLE users DROP COLUMN more",
            "SET binlog_format = STATEMENT; INSERT INTO users(id) VALUES (UUID()); "
            "SET binlog_format = ROW",
            "FLUSH BINARY LOGS; OPTIMIZE TABLE users; "
            "PURGE BINARY LOGS BEFORE NOW() + INTERVAL 1 DAY",
            "XA START 'x'; INSERT IGNORE INTO users(id) VALUES ('in two phases'); XA END 'x'; "
            "XA PREPARE 'x'; DO SLEEP(0.2); XA COMMIT 'x'",
            "RESET BINARY LOGS AND GTIDS"};
  }

 private:
  class Session final : public ProvenSession {
   public:
    explicit Session(const std::string& socket) : client_(socket, "root", "shop") {}
    void run(const std::string& sql) override { client_.run(sql); }
    bool has(const std::string& id) override {
      return !client_.ask("SELECT 1 FROM users WHERE id = '" + id + "'").empty();
    }

   private:
    MariadbClient client_;
  };

  TemporaryFolder folder_{};
  MysqlServer server_{folder_.path("")};
  std::string load_{};
};

// Why there is no such database to test on; empty where there is.
inline std::string why_not_proven(const std::string& name) {
  return name == "mysql" && !MysqlServer::is_there() ? MysqlServer::kNone : "";
}

// Null where there is none.
inline std::unique_ptr<ProvenDatabase> make_proven(const std::string& name) {
  if (!why_not_proven(name).empty()) return nullptr;
  if (name == "mysql") return std::make_unique<MysqlProven>();
  if (name == "postgres") return std::make_unique<PostgresProven>();
  if (name == "mariadb") return std::make_unique<MariadbProven>();
  return std::make_unique<SqliteProven>(name == "sqlite_wal" ? "wal" : "delete");
}

}  // namespace bloomery::testing
