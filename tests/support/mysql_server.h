// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <pwd.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "cli/live_demo/mysql_files.h"
#include "tests/support/mariadb_client.h"
#include "tests/support/new_folder.h"
#include "tests/support/unused_port.h"

namespace bloomery::testing {

// A mysqld, the program that MYSQL_SERVER names (tools/servers brings one), in a folder of the
// test's own, as another user than root, whom it refuses. Its user root has no password, and its
// database is shop. Nothing is synced. Ends with this.
class MysqlServer {
 public:
  using Options = std::vector<std::string>;

  // True where there is one to test on; where not, tests are skipped for the reason kNone.
  static bool is_there() { return cli::MysqlFiles::find().is_there(); }
  static constexpr const char* kNone = cli::MysqlFiles::kNone;

  explicit MysqlServer(const std::string& folder, Options options = {})
      : data_(folder + "/data"), log_(folder + "/mysql.log"), options_(std::move(options)) {
    const std::string prepared = prepared_data();
    std::filesystem::copy(prepared, data_, std::filesystem::copy_options::recursive);
    give_away_all(data_);
    std::filesystem::remove(data_ + "/auto.cnf");  // each server is another one
    if (is_root()) std::filesystem::permissions(folder, std::filesystem::perms{0711});
    start();
  }
  MysqlServer(const MysqlServer&) = delete;
  MysqlServer& operator=(const MysqlServer&) = delete;
  ~MysqlServer() { end(SIGKILL); }

  const std::string& socket() const noexcept { return socket_; }
  std::uint16_t port() const noexcept { return port_; }

  // The location of a column, by the socket and as root.
  std::string location(const std::string& table, const std::string& column,
                       const std::string& more = {}) const {
    return "mysql://root@/shop?table=" + table + "&column=" + column + "&socket=" + socket_ + more;
  }

  MariadbClient connect(const std::string& user = "root", const std::string& database = {}) const {
    return {socket_, user, database};
  }
  // Runs a statement, or several with ; between.
  void run(const std::string& sql) const { connect().run(sql); }

  void start() {
    port_ = unused_port();
    Options arguments = common_options(data_);
    for (const std::string& each :
         {"--socket=" + socket_, "--port=" + std::to_string(port_),
          std::string("--bind-address=127.0.0.1"), std::string("--mysqlx=OFF"),
          std::string("--log-bin=binlog"), std::string("--server-id=1"),
          std::string("--sync-binlog=0"), "--pid-file=" + data_ + "/pid",
          std::string("--max-connections=64")}) {
      arguments.push_back(each);
    }
    arguments.insert(arguments.end(), options_.begin(), options_.end());
    child_ = spawn(arguments, log_);
    for (int i = 0; i < 6000; ++i) {
      if (waitpid(child_, nullptr, WNOHANG) == child_) child_ = -1;
      if (child_ < 0) throw std::runtime_error("no mysqld:\n" + text_of(log_));
      if (MariadbClient::answers(socket_)) return;
      usleep(10'000);
    }
    throw std::runtime_error("mysqld does not answer:\n" + text_of(log_));
  }

  void end(int signal) {
    if (child_ <= 0) return;
    kill(child_, signal);
    waitpid(child_, nullptr, 0);
    child_ = -1;
  }

 private:
  static bool is_root() { return geteuid() == 0; }

  static std::string text_of(const std::string& path) {
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  static void give_away_all(const std::string& folder) {
    if (!is_root()) return;
    const passwd* const user = getpwnam("nobody");
    if (user == nullptr) throw std::runtime_error("there is no user nobody");
    const auto give = [&](const std::filesystem::path& path) {
      if (lchown(path.c_str(), user->pw_uid, user->pw_gid) == 0) return;
      throw std::runtime_error("cannot give away " + path.string());
    };
    give(folder);
    for (const auto& each : std::filesystem::recursive_directory_iterator(folder)) {
      give(each.path());
    }
  }

  static Options common_options(const std::string& data) {
    Options options = cli::MysqlFiles::find().command(data);
    for (const char* const each :
         {"--innodb-buffer-pool-size=24M", "--innodb-redo-log-capacity=8M"}) {
      options.emplace_back(each);
    }
    return options;
  }

  static pid_t spawn(Options arguments, const std::string& log) {
    std::vector<char*> pointers;
    for (std::string& each : arguments) pointers.push_back(each.data());
    pointers.push_back(nullptr);
    const passwd* const user = is_root() ? getpwnam("nobody") : nullptr;
    const pid_t parent = getpid();
    const pid_t child = fork();
    if (child != 0) return child;
    const int out = open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    dup2(out, 1);
    dup2(out, 2);
    dup2(open("/dev/null", O_RDONLY), 0);
    if (user != nullptr && (setgid(user->pw_gid) != 0 || setuid(user->pw_uid) != 0)) _exit(126);
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // a test that is killed leaves none behind
    if (getppid() != parent) _exit(125);
    execv(pointers[0], pointers.data());
    _exit(127);
  }

  // A data folder with the system's tables and an empty database shop. Making it takes seconds, so
  // it is made once, beside the test program.
  static std::string prepared_data() {
#ifdef BLOOMERY_MYSQL_BESIDE
    const std::filesystem::path beside = BLOOMERY_MYSQL_BESIDE;  // other test programs have it, too
#else
    const auto beside = std::filesystem::read_symlink("/proc/self/exe").parent_path();
#endif
    const std::string data = beside / "mysql_data";
    const std::string lock = data + ".lock";
    const int file = open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0 || flock(file, LOCK_EX) != 0) throw std::runtime_error("cannot lock " + lock);
    try {
      if (!std::filesystem::exists(data)) make_data(data);
    } catch (...) {
      close(file);  // this process's next test would wait for itself
      throw;
    }
    close(file);
    return data;
  }

  static void make_data(const std::string& data) {
    const std::string folder = new_folder();
    if (is_root()) std::filesystem::permissions(folder, std::filesystem::perms{0711});
    std::filesystem::create_directories(folder + "/data");
    const std::string script = folder + "/shop.sql";
    std::ofstream(script) << "CREATE DATABASE shop;\n";
    std::filesystem::permissions(script, std::filesystem::perms{0644});
    give_away_all(folder + "/data");
    Options arguments = common_options(folder + "/data");
    arguments.insert(arguments.end(), {"--initialize-insecure", "--init-file=" + script});
    const std::string log = data + ".log";
    int status = 0;
    waitpid(spawn(arguments, log), &status, 0);
    if (status != 0) throw std::runtime_error("cannot make a data folder:\n" + text_of(log));
    std::filesystem::copy(folder + "/data", data + ".new",
                          std::filesystem::copy_options::recursive);
    std::filesystem::rename(data + ".new", data);
    std::filesystem::remove_all(folder);
  }

  std::string data_;
  std::string log_;
  Options options_;
  std::string socket_ = data_ + "/socket";
  std::uint16_t port_ = 0;
  pid_t child_ = -1;
};

}  // namespace bloomery::testing
