// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <fstream>
#include <optional>
#include <utility>

#include "bloomery/errors.h"
#include "bloomery/source/mariadb/mariadb_connection.h"
#include "bloomery/source/mariadb/mariadb_rows.h"
#include "bloomery/source/mariadb/server.h"
#include "bloomery/source/server_location.h"
#include "cli/live_demo/live_database.h"
#include "cli/live_demo/mariadb_files.h"

namespace bloomery::cli {
namespace {

constexpr const char* kMariadbd = "/usr/sbin/mariadbd";

class MariadbSqlSession final : public SqlSession {
 public:
  explicit MariadbSqlSession(const std::string& location)
      : connection_(mariadb::Server(parse_server_location(location)), {}) {
    run("SET SESSION TRANSACTION READ WRITE");  // the library's own sessions only read
  }

  void run(const std::string& sql) override { connection_.ask(sql, {}); }
  std::string ask(const std::string& sql) override { return connection_.ask_one(sql, {}); }

 private:
  mariadb::Connection connection_;
};

class LiveMariadb final : public LiveDatabase {
 public:
  LiveMariadb(const Stage& stage, const EndingSignals& signals) : stage_(stage) {
    if (!std::filesystem::exists(kMariadbd)) {
      throw StoreError("no MariaDB server is here; the package is mariadb-server-core");
    }
    make_data(signals);
    std::vector<std::string> arguments = common_options();
    for (const std::string& each :
         {"--socket=" + socket(), std::string("--skip-networking"), std::string("--log-bin=binlog"),
          std::string("--binlog-format=ROW"), std::string("--gtid-strict-mode=ON"),
          std::string("--server-id=1"), std::string("--max-connections=200")}) {
      arguments.push_back(each);
    }
    server_.emplace(stage, "mariadbd.log", arguments);
    server_->wait_until(signals, [this] {
      try {
        connect();
        return true;
      } catch (const StoreError&) {
        return false;
      }
    });
    const std::string version = connect()->ask("SELECT version()");
    version_ = version.substr(0, version.find('-'));
  }

  std::string title() const override { return "MariaDB " + version_; }
  std::string location() const override {
    return "mariadb://root@/shop?table=users&column=id&socket=" + socket();
  }
  pid_t process() const override { return server_->id(); }
  std::unique_ptr<SqlSession> connect() const override {
    return std::make_unique<MariadbSqlSession>(location());
  }
  Rows rows(std::size_t connections) const override {
    return MariadbRows(location(), {.value = "name", .connections = connections});
  }

 private:
  std::string socket() const { return stage_.path("socket"); }

  // Nothing needs to survive a crash of the machine.
  std::vector<std::string> common_options() const {
    return {kMariadbd,
            "--no-defaults",
            "--datadir=" + stage_.path("data"),
            "--tmpdir=" + stage_.path("data"),  // a server removes the tables of others there
            "--pid-file=" + stage_.path("pid"),
            "--lc-messages-dir=" + files_.folder,
            "--innodb-flush-log-at-trx-commit=0",
            "--innodb-flush-method=nosync",
            "--innodb-doublewrite=0",
            "--innodb-log-file-size=32M",
            "--loose-performance-schema=OFF"};
  }

  // The tables of the system, and an empty database.
  void make_data(const EndingSignals& signals) const {
    const std::string script = stage_.path("tables.sql");
    std::ofstream sql(script);
    sql << "CREATE DATABASE mysql;\nCREATE DATABASE shop;\n" << files_.system_tables();
    sql.close();
    Process(stage_, "mkdir.log", {"/bin/mkdir", stage_.path("data")}).finish(signals);
    std::vector<std::string> arguments = common_options();
    arguments.insert(arguments.end(), {"--bootstrap", "--skip-log-bin"});
    Process(stage_, "bootstrap.log", arguments, {.input = script}).finish(signals);
  }

  const Stage& stage_;
  const MariadbFiles files_ = MariadbFiles::find();
  std::optional<Process> server_{};
  std::string version_{};
};

}  // namespace

std::unique_ptr<LiveDatabase> start_mariadb(const Stage& stage, const EndingSignals& signals) {
  return std::make_unique<LiveMariadb>(stage, signals);
}

}  // namespace bloomery::cli
