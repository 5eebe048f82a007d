// SPDX-License-Identifier: Apache-2.0
#include <fstream>
#include <optional>
#include <utility>

#include "bloomery/errors.h"
#include "bloomery/source/mariadb/mariadb_connection.h"
#include "bloomery/source/mariadb/mariadb_rows.h"
#include "bloomery/source/mariadb/server.h"
#include "bloomery/source/server_location.h"
#include "cli/live_demo/live_database.h"
#include "cli/live_demo/mysql_files.h"

namespace bloomery::cli {
namespace {

class MysqlSqlSession final : public SqlSession {
 public:
  explicit MysqlSqlSession(const std::string& location)
      : connection_(mariadb::Server(parse_server_location(location)), {}) {
    run("SET SESSION TRANSACTION READ WRITE");  // the library's own sessions only read
  }

  void run(const std::string& sql) override { connection_.ask(sql, {}); }
  std::string ask(const std::string& sql) override { return connection_.ask_one(sql, {}); }

 private:
  mariadb::Connection connection_;
};

class LiveMysql final : public LiveDatabase {
 public:
  LiveMysql(const Stage& stage, const EndingSignals& signals) : stage_(stage) {
    if (!files_.is_there()) throw StoreError(MysqlFiles::kNone);
    make_data(signals);
    std::vector<std::string> arguments = files_.command(data());
    for (const std::string& each :
         {"--socket=" + socket(), std::string("--skip-networking"), std::string("--mysqlx=OFF"),
          std::string("--log-bin=binlog"), std::string("--server-id=1"),
          "--pid-file=" + data() + "/pid", std::string("--sync-binlog=0"),
          std::string("--max-connections=200")}) {
      arguments.push_back(each);
    }
    server_.emplace(stage, "mysqld.log", arguments);
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

  std::string title() const override { return "MySQL " + version_; }
  std::string location() const override {
    return "mysql://root@/shop?table=users&column=id&socket=" + socket();
  }
  pid_t process() const override { return server_->id(); }
  std::unique_ptr<SqlSession> connect() const override {
    return std::make_unique<MysqlSqlSession>(location());
  }
  Rows rows(std::size_t connections) const override {
    return MariadbRows(location(), {.value = "name", .connections = connections});
  }

 private:
  std::string data() const { return stage_.path("data"); }
  std::string socket() const { return stage_.path("socket"); }

  // The tables of the system, and an empty database.
  void make_data(const EndingSignals& signals) const {
    const std::string script = stage_.path("shop.sql");
    std::ofstream(script) << "CREATE DATABASE shop;\n";
    Process(stage_, "mkdir.log", {"/bin/mkdir", data()}).finish(signals);
    std::vector<std::string> arguments = files_.command(data());
    arguments.insert(arguments.end(), {"--initialize-insecure", "--init-file=" + script});
    Process(stage_, "initialize.log", arguments).finish(signals);
  }

  const Stage& stage_;
  const MysqlFiles files_ = MysqlFiles::find();
  std::optional<Process> server_{};
  std::string version_{};
};

}  // namespace

std::unique_ptr<LiveDatabase> start_mysql(const Stage& stage, const EndingSignals& signals) {
  return std::make_unique<LiveMysql>(stage, signals);
}

}  // namespace bloomery::cli
