// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/read_file.h"
#include "tests/support/resp_client.h"

namespace bloomery::testing {

// A redis-server of the machine's, or the one that REDIS_SERVER names, on a socket in a folder of
// the test's own, where it also keeps its dump, and finds a redis.conf if there is one. Ends with
// this.
class RedisServer {
 public:
  static bool is_installed() {
    static const bool is =
        std::system(("command -v '" + binary() + "' >/dev/null 2>&1").c_str()) == 0;
    return is;
  }

  // `preload`: a library for the server alone, as for LD_PRELOAD.
  explicit RedisServer(const std::string& folder, std::vector<std::string> options = {},
                       const std::string& preload = {})
      : socket_(folder + "/redis.sock"), log_(folder + "/redis.log") {
    std::vector<std::string> arguments{binary(), "--port", "0", "--unixsocket", socket_, "--dir",
                                       folder,   "--save", "",  "--daemonize",  "no"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const std::string settings = folder + "/redis.conf";
    if (access(settings.c_str(), F_OK) == 0) arguments.insert(arguments.begin() + 1, settings);
    std::vector<char*> pointers;  // made before the fork: a child may wait for ever for malloc
    for (std::string& each : arguments) pointers.push_back(each.data());
    pointers.push_back(nullptr);
    child_ = fork();
    if (child_ == 0) {
      const int out = open(log_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
      dup2(out, 1);
      dup2(out, 2);
      if (!preload.empty()) {
        setenv("LD_PRELOAD", preload.c_str(), 1);
        // The server tries to take whatever size a payload says, and does without.
        setenv("ASAN_OPTIONS", "allocator_may_return_null=1", 1);
      }
      execvp(pointers[0], pointers.data());
      _exit(127);
    }
    for (int i = 0; i < 4000 && ask("PING") != "PONG\n"; ++i) {
      if (waitpid(child_, nullptr, WNOHANG) == child_) child_ = -1;
      if (child_ < 0) return;  // its log says why
      std::this_thread::sleep_for(std::chrono::microseconds(2'500));
    }
  }
  RedisServer(const RedisServer&) = delete;
  RedisServer& operator=(const RedisServer&) = delete;
  ~RedisServer() { end(SIGTERM); }

  // Ends it now, by a signal.
  void end(int signal) {
    if (child_ <= 0) return;
    kill(child_, signal);
    int status = 0;
    waitpid(child_, &status, 0);
    child_ = -1;
    const bool well = WIFEXITED(status) ? WEXITSTATUS(status) == 0 : WTERMSIG(status) == signal;
    if (!well) {
      last_words_ = "the server ended badly:\n" + read_file(log_);
    }
  }
  // SIGSTOP freezes it, until SIGCONT.
  void send(int signal) const { kill(child_, signal); }
  pid_t process() const noexcept { return child_; }
  // Returns the server's log, if it ended otherwise than by the signal that it was sent.
  const std::string& last_words() const noexcept { return last_words_; }

  // Returns what redis-cli prints for a command as a shell would take it, on a connection of its
  // own, with -n DATABASE or -a PASSWORD before it; nothing where nobody listens.
  std::string ask(const std::string& command) const {
    std::vector<std::string> words = shell_words(command);
    try {
      Client client(socket_);
      for (; words.at(0) == "-n" || words.at(0) == "-a";
           words.erase(words.begin(), words.begin() + 2)) {
        client.call({words[0] == "-n" ? "SELECT" : "AUTH", words.at(1)});
      }
      return client.call(words).printed();
    } catch (const std::runtime_error&) {
      return {};
    }
  }

  const std::string& socket() const noexcept { return socket_; }

 private:
  // Apart by blanks, but for those within quotes.
  static std::vector<std::string> shell_words(const std::string& command) {
    std::vector<std::string> words;
    bool is_within = false;
    char quote = 0;  // that has begun
    for (const char c : command) {
      if (quote == 0 && c == ' ') {
        is_within = false;
        continue;
      }
      if (!is_within) words.emplace_back();
      is_within = true;
      if (c == quote) {
        quote = 0;
      } else if (quote == 0 && (c == '\'' || c == '"')) {
        quote = c;
      } else {
        words.back() += c;
      }
    }
    return words;
  }

  static std::string binary() {
    const char* const named = std::getenv("REDIS_SERVER");
    return named != nullptr ? named : "redis-server";
  }

  std::string socket_;
  std::string log_;
  std::string last_words_{};
  pid_t child_ = -1;
};

}  // namespace bloomery::testing
