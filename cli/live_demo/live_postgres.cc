// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <optional>
#include <utility>

#include "bloomery/errors.h"
#include "bloomery/source/postgres/postgres_connection.h"
#include "bloomery/source/postgres/postgres_rows.h"
#include "bloomery/source/server_location.h"
#include "cli/live_demo/live_database.h"

namespace bloomery::cli {
namespace {

namespace fs = std::filesystem;

// Debian keeps the servers of several versions side by side.
std::string newest_binaries() {
  std::string newest;
  std::error_code error;
  for (const auto& each : fs::directory_iterator("/usr/lib/postgresql", error)) {
    const std::string path = each.path().string() + "/bin";
    if (fs::exists(path + "/postgres") && path > newest) newest = path;
  }
  if (newest.empty()) throw StoreError("no PostgreSQL server is here; the package is postgresql");
  return newest;
}

class PostgresSqlSession final : public SqlSession {
 public:
  explicit PostgresSqlSession(const std::string& location)
      : connection_(parse_server_location(location), postgres::Connection::Kind::queries, {}) {}

  void run(const std::string& sql) override { connection_.query(sql, CallContext{}); }
  std::string ask(const std::string& sql) override {
    return connection_.query(sql, CallContext{}).text(0, 0);
  }

 private:
  postgres::Connection connection_;
};

class LivePostgres final : public LiveDatabase {
 public:
  LivePostgres(const Stage& stage, const EndingSignals& signals) : stage_(stage) {
    const std::string binaries = newest_binaries();
    const std::string data = stage.path("data");
    Process(stage, "initdb.log",
            {binaries + "/initdb", "-D", data, "-U", "postgres", "-A", "trust", "--no-sync",
             "--no-locale", "-E", "UTF8", "--no-instructions"})
        .finish(signals);
    std::vector<std::string> arguments{binaries + "/postgres", "-D", data, "-k", stage.path("")};
    for (const char* const each : {"listen_addresses=", "wal_level=logical", "fsync=off",
                                   "max_slot_wal_keep_size=1GB", "max_connections=200"}) {
      arguments.insert(arguments.end(), {"-c", each});
    }
    server_.emplace(stage, "postgres.log", arguments, ProcessOptions{.farewell = SIGINT});
    server_->wait_until(signals, [this] {
      try {
        connect();
        return true;
      } catch (const StoreError&) {
        return false;
      }
    });
    version_ = connect()->ask("SELECT split_part(current_setting('server_version'), ' ', 1)");
  }

  std::string title() const override { return "PostgreSQL " + version_; }
  std::string location() const override {
    return "postgres://postgres@/postgres?host=" + stage_.path("") + "&table=users&column=id";
  }
  pid_t process() const override { return server_->id(); }
  std::unique_ptr<SqlSession> connect() const override {
    return std::make_unique<PostgresSqlSession>(location());
  }
  Rows rows(std::size_t connections) const override {
    return PostgresRows(location(), {.value = "name", .connections = connections});
  }

 private:
  const Stage& stage_;
  std::optional<Process> server_{};
  std::string version_{};
};

}  // namespace

std::unique_ptr<LiveDatabase> start_postgres(const Stage& stage, const EndingSignals& signals) {
  return std::make_unique<LivePostgres>(stage, signals);
}

}  // namespace bloomery::cli
