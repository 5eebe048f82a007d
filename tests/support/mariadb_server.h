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

#include "cli/live_demo/mariadb_files.h"
#include "tests/support/mariadb_client.h"
#include "tests/support/new_folder.h"
#include "tests/support/unused_port.h"

namespace bloomery::testing {

// A mariadbd of the machine's in a folder of the test's own, whose name any user may reach, with a
// binary log in ROW format; as another user than root, whom it refuses. Its user root has no
// password. Nothing is synced. Ends with this.
class MariadbServer {
 public:
  using Options = std::vector<std::string>;

  explicit MariadbServer(const std::string& folder, Options options = {})
      : data_(folder + "/data"), log_(folder + "/mariadb.log"), options_(std::move(options)) {
    copy_data(prepared_data(), data_);
    if (is_root()) std::filesystem::permissions(folder, std::filesystem::perms{0711});
    start();
  }
  MariadbServer(const MariadbServer&) = delete;
  MariadbServer& operator=(const MariadbServer&) = delete;
  ~MariadbServer() { end(SIGKILL); }

  const std::string& socket() const noexcept { return socket_; }
  std::uint16_t port() const noexcept { return port_; }
  const std::string& data() const noexcept { return data_; }

  // The location of a column, by the socket and as root.
  std::string location(const std::string& table, const std::string& column,
                       const std::string& more = {}) const {
    return "mariadb://root@/shop?table=" + table + "&column=" + column + "&socket=" + socket_ +
           more;
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
          std::string("--bind-address=127.0.0.1"), std::string("--log-bin=binlog"),
          std::string("--binlog-format=ROW"), std::string("--gtid-strict-mode=ON"),
          std::string("--server-id=1"), std::string("--max-connections=64")}) {
      arguments.push_back(each);
    }
    arguments.insert(arguments.end(), options_.begin(), options_.end());
    child_ = spawn(arguments, log_, -1);
    for (int i = 0; i < 3000; ++i) {
      if (waitpid(child_, nullptr, WNOHANG) == child_) child_ = -1;
      if (child_ < 0) throw std::runtime_error("no mariadbd:\n" + text_of(log_));
      if (MariadbClient::answers(socket_)) return;
      usleep(10'000);
    }
    throw std::runtime_error("mariadbd does not answer:\n" + text_of(log_));
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

  static const passwd& nobody() {
    const passwd* const user = getpwnam("nobody");
    if (user == nullptr) throw std::runtime_error("there is no user nobody");
    return *user;
  }

  static void give_away(const std::filesystem::path& path) {
    if (!is_root()) return;
    const passwd& user = nobody();
    if (lchown(path.c_str(), user.pw_uid, user.pw_gid) != 0) {
      throw std::runtime_error("cannot give away " + path.string());
    }
  }

  static void copy_data(const std::string& from, const std::string& to) {
    std::filesystem::copy(from, to, std::filesystem::copy_options::recursive);
    give_away(to);
    for (const auto& each : std::filesystem::recursive_directory_iterator(to)) {
      give_away(each.path());
    }
  }

  static Options common_options(const std::string& data) {
    return {"/usr/sbin/mariadbd",
            "--no-defaults",
            "--datadir=" + data,
            "--tmpdir=" + data,  // each begins by removing what is there of others
            "--pid-file=" + data + "/pid",
            "--lc-messages-dir=" + cli::MariadbFiles::find().folder,
            "--innodb-log-file-size=4M",
            "--innodb-buffer-pool-size=24M",
            "--innodb-flush-log-at-trx-commit=0",
            "--innodb-flush-method=nosync",
            "--innodb-doublewrite=0",
            "--innodb-autoextend-increment=1",
            "--innodb-data-file-path=ibdata1:4M:autoextend",
            "--innodb-temp-data-file-path=ibtmp1:1M:autoextend",
            "--innodb-undo-tablespaces=0",
            "--sync-frm=OFF",
            "--aria-log-file-size=8M",
            "--key-buffer-size=1M",
            "--loose-performance-schema=OFF"};
  }

  // `in`: what it reads, or -1 for nothing.
  static pid_t spawn(Options arguments, const std::string& log, int in) {
    std::vector<char*> pointers;
    for (std::string& each : arguments) pointers.push_back(each.data());
    pointers.push_back(nullptr);
    const passwd* const user = is_root() ? &nobody() : nullptr;
    const std::string preload = beside_this_program("libno_sync.so");
    const char* const more = std::getenv("BLOOMERY_SERVER_PRELOAD");
    const std::string libraries =
        (std::filesystem::exists(preload) ? preload + " " : "") + (more != nullptr ? more : "");
    const pid_t parent = getpid();
    const pid_t child = fork();
    if (child != 0) return child;
    const int out = open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    dup2(out, 1);
    dup2(out, 2);
    dup2(in >= 0 ? in : open("/dev/null", O_RDONLY), 0);
    if (user != nullptr && (setgid(user->pw_gid) != 0 || setuid(user->pw_uid) != 0)) _exit(126);
    if (!libraries.empty()) setenv("LD_PRELOAD", libraries.c_str(), 1);
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // a test that is killed leaves none behind
    if (getppid() != parent) _exit(125);
    execv(pointers[0], pointers.data());
    _exit(127);
  }

  // Returns a path where other test programs have the file, too.
  static std::string beside_this_program(const std::string& name) {
#ifdef BLOOMERY_MARIADB_BESIDE
    return std::string(BLOOMERY_MARIADB_BESIDE) + "/" + name;
#else
    return std::filesystem::read_symlink("/proc/self/exe").parent_path() / name;
#endif
  }

  // A data folder with the system's tables and an empty database shop. Making it takes seconds,
  // copying it a tenth of one; so it is made once, beside the test program.
  static std::string prepared_data() {
    const std::string data = beside_this_program("mariadb_data");
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
    const std::string pattern = new_folder();
    for (const char* const each : {"", "/data", "/data/mysql", "/data/shop"}) {
      std::filesystem::create_directories(pattern + each);
      give_away(pattern + each);
    }
    const std::string script = pattern + "/tables.sql";
    std::ofstream sql(script);
    sql << cli::MariadbFiles::find().system_tables();
    sql.close();
    const int in = open(script.c_str(), O_RDONLY | O_CLOEXEC);
    Options arguments = common_options(pattern + "/data");
    arguments.insert(arguments.end(), {"--bootstrap", "--skip-log-bin"});
    const std::string log = data + ".log";
    const pid_t child = spawn(arguments, log, in);
    close(in);
    int status = 0;
    waitpid(child, &status, 0);
    if (status != 0) throw std::runtime_error("cannot make a data folder:\n" + text_of(log));
    std::filesystem::copy(pattern + "/data", data + ".new",
                          std::filesystem::copy_options::recursive);
    std::filesystem::rename(data + ".new", data);
    std::filesystem::remove_all(pattern);
  }

  std::string data_;
  std::string log_;
  Options options_;
  std::string socket_ = data_ + "/socket";
  std::uint16_t port_ = 0;
  pid_t child_ = -1;
};

}  // namespace bloomery::testing
