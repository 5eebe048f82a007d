// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <libpq-fe.h>
#include <pwd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace bloomery::testing {

// A PostgreSQL server of Debian's, or that which POSTGRES_SERVER names (tools/servers brings the
// newest), on a socket in a folder of the test's own, where its data are
// too, unless they are there already; its user "postgres" needs no password. Nothing of it survives
// a crash of the machine. Ends with this.
class PostgresServer {
 public:
  explicit PostgresServer(const std::string& folder, std::vector<std::string> options = {})
      : folder_(folder), options_(std::move(options)) {
    const Account account = other_account();
    if (account.user != 0 && chown(folder.c_str(), account.user, account.group) != 0) {
      throw std::runtime_error("the folder cannot be given away");
    }
    if (std::filesystem::exists(folder + "/data")) {
      start();
      return;
    }
    const int status =
        wait_for(spawn({binaries() + "/initdb", "-D", folder + "/data", "-U", "postgres", "-A",
                        "trust", "--no-sync", "--no-locale", "-E", "UTF8", "--no-instructions"}));
    if (status != 0) throw std::runtime_error("initdb: " + log());
    start();
  }
  PostgresServer(const PostgresServer&) = delete;
  PostgresServer& operator=(const PostgresServer&) = delete;
  ~PostgresServer() { stop(SIGQUIT); }

  void start() {
    std::vector<std::string> arguments{binaries() + "/postgres", "-D", folder_ + "/data", "-k",
                                       folder_};
    for (const char* const each :
         {"listen_addresses=", "wal_level=logical", "fsync=off", "shared_buffers=32MB",
          "max_prepared_transactions=4", "max_slot_wal_keep_size=1GB", "max_wal_senders=20",
          "max_replication_slots=20", "autovacuum=off", "max_parallel_workers=0"}) {
      arguments.insert(arguments.end(), {"-c", each});
    }
    for (const std::string& each : options_) arguments.insert(arguments.end(), {"-c", each});
    child_ = spawn(arguments);
    for (int i = 0; i < 1000; ++i) {
      PGconn* const connection = PQconnectdb(conninfo().c_str());
      const bool is_up = PQstatus(connection) == CONNECTION_OK;
      PQfinish(connection);
      if (is_up) return;
      if (waitpid(child_, nullptr, WNOHANG) == child_) break;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    throw std::runtime_error("postgres does not start: " + log());
  }

  // SIGQUIT: at once, as in a crash; SIGINT: in order.
  void stop(int signal) {
    if (child_ <= 0) return;
    kill(child_, signal);
    wait_for(child_);
    child_ = -1;
  }

  std::string conninfo() const {
    return "host=" + folder_ + " user=postgres dbname=postgres client_encoding=UTF8";
  }
  // The location of it, up to the selection.
  std::string location(const std::string& selection) const {
    return "postgres://postgres@/postgres?host=" + folder_ + "&" + selection;
  }
  const std::string& folder() const noexcept { return folder_; }

 private:
  struct Account {
    uid_t user = 0;
    gid_t group = 0;
  };

  // The server refuses to be run by root.
  static Account other_account() {
    if (geteuid() != 0) return {};
    const passwd* const found = getpwnam("postgres");
    if (found == nullptr) throw std::runtime_error("there is no user postgres");
    return {found->pw_uid, found->pw_gid};
  }

  static std::string binaries() {
    if (const char* const named = std::getenv("POSTGRES_SERVER")) {
      return std::filesystem::canonical(named).parent_path();
    }
    std::string newest;
    for (const auto& each : std::filesystem::directory_iterator("/usr/lib/postgresql")) {
      const std::string path = each.path().string() + "/bin";
      if (std::filesystem::exists(path + "/postgres") && path > newest) newest = path;
    }
    if (newest.empty()) throw std::runtime_error("the package postgresql is not installed");
    return newest;
  }

  pid_t spawn(std::vector<std::string> arguments) const {
    const Account account = other_account();
    const std::string log_path = folder_ + "/log";
    std::vector<char*> pointers;
    for (std::string& each : arguments) pointers.push_back(each.data());
    pointers.push_back(nullptr);
    const pid_t child = fork();
    if (child != 0) return child;
    if (account.user != 0 && (setgid(account.group) != 0 || setuid(account.user) != 0)) _exit(126);
    if (chdir(folder_.c_str()) != 0) _exit(126);
    const int out = open(log_path.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    dup2(out, 1);
    dup2(out, 2);
    unsetenv("LD_PRELOAD");
    if (const char* const preload = std::getenv("BLOOMERY_SERVER_PRELOAD")) {
      setenv("LD_PRELOAD", preload, 1);
    }
    execv(pointers[0], pointers.data());
    _exit(127);
  }

  static int wait_for(pid_t child) {
    int status = 0;
    waitpid(child, &status, 0);
    return status;
  }

  std::string log() const {
    std::ifstream in(folder_ + "/log");
    return {std::istreambuf_iterator<char>(in), {}};
  }

  std::string folder_;
  std::vector<std::string> options_;
  pid_t child_ = -1;
};

// A session of it, in which a test plays the application.
class PostgresSession {
 public:
  explicit PostgresSession(const std::string& conninfo)
      : connection_(PQconnectdb(conninfo.c_str())) {
    if (PQstatus(connection_) != CONNECTION_OK) throw std::runtime_error(error());
    PQsetNoticeProcessor(
        connection_, [](void*, const char*) {}, nullptr);
  }
  explicit PostgresSession(const PostgresServer& server) : PostgresSession(server.conninfo()) {}
  PostgresSession(const PostgresSession&) = delete;
  PostgresSession& operator=(const PostgresSession&) = delete;
  ~PostgresSession() { PQfinish(connection_); }

  // The first value of the answer, or nothing. What the server refuses throws.
  std::string run(const std::string& sql) {
    PGresult* const result = PQexec(connection_, sql.c_str());
    const auto status = PQresultStatus(result);
    const bool is_good = status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK;
    const bool has_value = is_good && PQntuples(result) > 0 && PQnfields(result) > 0;
    std::string value = has_value ? PQgetvalue(result, 0, 0) : "";
    PQclear(result);
    if (!is_good) throw std::runtime_error(sql + ": " + error());
    return value;
  }

  PGconn* handle() const noexcept { return connection_; }

 private:
  std::string error() const { return PQerrorMessage(connection_); }

  PGconn* connection_;
};

}  // namespace bloomery::testing
