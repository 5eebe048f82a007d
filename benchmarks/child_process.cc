// SPDX-License-Identifier: Apache-2.0
#include "benchmarks/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <system_error>
#include <thread>

namespace bloomery::bench {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr std::size_t kMaxOutput = std::size_t{1} << 20;

[[noreturn]] void fail(int error, const char* what) {
  throw std::system_error(error, std::generic_category(), what);
}

struct Pipe {
  Pipe() {
    if (pipe2(ends.data(), O_CLOEXEC) != 0) fail(errno, "pipe");
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    close(ends[0]);
    close_writer();
  }
  void close_writer() {
    if (ends[1] >= 0) close(ends[1]);
    ends[1] = -1;
  }

  std::array<int, 2> ends{};
};

// 0, or the reason why not.
int spawn(const std::vector<std::string>& argv, int output, pid_t& pid) {
  std::vector<char*> words;
  for (const std::string& word : argv) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO);
  const int error = posix_spawnp(&pid, words[0], &actions, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

milliseconds left_until(Clock::time_point deadline) {
  return std::max(milliseconds(0),
                  std::chrono::duration_cast<milliseconds>(deadline - Clock::now()));
}

// Reads until the other end is closed; false when the time or the room for it is over.
bool read_all(int from, Clock::time_point deadline, std::string& output) {
  std::array<char, 4096> buffer{};
  while (output.size() <= kMaxOutput) {
    pollfd readable{from, POLLIN, 0};
    const int ready = poll(&readable, 1, static_cast<int>(left_until(deadline).count()));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return false;
    const ssize_t count = read(from, buffer.data(), buffer.size());
    if (count == 0) return true;
    if (count > 0) output.append(buffer.data(), static_cast<std::size_t>(count));
    if (count < 0 && errno != EINTR) return false;
  }
  return false;
}

// False when it goes on after the deadline: a child may close its output and live.
bool wait_until(pid_t pid, Clock::time_point deadline, int& status) {
  while (waitpid(pid, &status, WNOHANG) == 0) {
    if (left_until(deadline).count() == 0) return false;
    std::this_thread::sleep_for(milliseconds(5));
  }
  return true;
}

}  // namespace

ChildResult run_child(const std::vector<std::string>& argv, milliseconds timeout) {
  const Clock::time_point deadline = Clock::now() + timeout;
  ChildResult result;
  Pipe pipe;
  pid_t pid = 0;
  if (const int error = spawn(argv, pipe.ends[1], pid); error != 0) {
    if (error != ENOENT && error != EACCES) fail(error, argv[0].c_str());
    result.end = ChildResult::End::not_found;
    return result;
  }
  pipe.close_writer();
  int status = 0;
  const bool in_time = read_all(pipe.ends[0], deadline, result.output);
  if (!in_time || !wait_until(pid, deadline, status)) {
    kill(pid, SIGKILL);
    waitpid(pid, &status, 0);
    result.end = ChildResult::End::timed_out;
  } else if (WIFEXITED(status)) {
    result.exit_status = WEXITSTATUS(status);
  } else {
    result.end = ChildResult::End::killed;
  }
  return result;
}

}  // namespace bloomery::bench
