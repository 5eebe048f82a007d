// SPDX-License-Identifier: Apache-2.0
#include "cli/stage.h"

#include <fcntl.h>
#include <pwd.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "bloomery/errors.h"
#include "cli/temporary_folder.h"

namespace bloomery::cli {
namespace {

using std::chrono::milliseconds;
using SteadyClock = std::chrono::steady_clock;

constexpr milliseconds kLookAgain{10};
constexpr std::chrono::seconds kLongestStart{60};
constexpr std::chrono::seconds kLongestEnd{5};

// The last lines of what a server had to say.
std::string tail_of(const std::string& path) {
  std::ifstream in(path);
  const std::string all(std::istreambuf_iterator<char>(in), {});
  constexpr std::size_t kMostBytes = 2000;
  return all.size() > kMostBytes ? "..." + all.substr(all.size() - kMostBytes) : all;
}

// In the child: nothing of ours but the environment.
[[noreturn]] void become(char* const* arguments, int in, int out, Account account,
                         const char* folder, pid_t parent) {
  setpgid(0, 0);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  signal(SIGPIPE, SIG_DFL);
  dup2(in, STDIN_FILENO);
  dup2(out, STDOUT_FILENO);
  dup2(out, STDERR_FILENO);
  const bool changes = account.user != 0;
  if (changes && (setgid(account.group) != 0 || setuid(account.user) != 0)) _exit(126);
  if (chdir(folder) != 0) _exit(126);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(125);
  execvp(arguments[0], arguments);
  _exit(127);
}

}  // namespace

void pause(const EndingSignals& signals, milliseconds time) {
  if (const auto signal = signals.wait(time)) throw Interrupted(*signal);
}

Account Account::other_than_root(const std::vector<std::string>& names) {
  if (geteuid() != 0) return {};
  for (const std::string& name : names) {
    const passwd* const found = getpwnam(name.c_str());
    if (found != nullptr) return {found->pw_uid, found->pw_gid};
  }
  throw StoreError("this is root, whom servers refuse, and there is no user " + names.front());
}

Stage::Stage(Account account)
    : account_(account), folder_(new_temporary_folder("bloomery-", "the servers")) {
  if (account.user != 0 && chown(folder_.c_str(), account.user, account.group) != 0) {
    rmdir(folder_.c_str());
    throw StoreError("cannot give away " + folder_ + ": " + std::strerror(errno));
  }
}

Stage::~Stage() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

Process::Process(const Stage& stage, const std::string& log, std::vector<std::string> arguments,
                 const ProcessOptions& how)
    : log_(stage.path(log)), name_(arguments.at(0)), farewell_(how.farewell) {
  std::vector<char*> pointers;
  for (std::string& each : arguments) pointers.push_back(each.data());
  pointers.push_back(nullptr);
  const std::string input = how.input.empty() ? "/dev/null" : how.input;
  const std::string folder = stage.path("");
  const int in = open(input.c_str(), O_RDONLY | O_CLOEXEC);
  const int out = open(log_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  const pid_t parent = getpid();
  if (in >= 0 && out >= 0) child_ = fork();
  if (child_ == 0) {
    become(pointers.data(), in, out, how.as_account ? stage.account() : Account{}, folder.c_str(),
           parent);
  }
  const int error = errno;
  if (in >= 0) close(in);
  if (out >= 0) close(out);
  if (child_ < 0) throw StoreError("cannot start " + name_ + ": " + std::strerror(error));
}

bool Process::has_ended() {
  if (child_ > 0 && waitpid(child_, &status_, WNOHANG) == child_) child_ = -1;
  return child_ <= 0;
}

void Process::fail(const std::string& what) const {
  throw StoreError(name_ + " " + what + "\n" + tail_of(log_));
}

void Process::finish(const EndingSignals& signals) {
  while (!has_ended()) pause(signals, kLookAgain);
  if (!WIFEXITED(status_) || WEXITSTATUS(status_) != 0) fail("failed:");
}

void Process::wait_until(const EndingSignals& signals, const std::function<bool()>& holds) {
  const auto until = SteadyClock::now() + kLongestStart;
  while (!holds()) {
    require_alive();
    if (SteadyClock::now() > until) fail("is not ready after a minute:");
    pause(signals, kLookAgain);
  }
}

void Process::require_alive() {
  if (!has_ended()) return;
  const bool was_none = WIFEXITED(status_) && WEXITSTATUS(status_) == 127;
  fail(was_none ? "is no program that is here" : "has ended:");
}

void Process::kill_now() {
  if (child_ <= 0) return;
  kill(child_, SIGKILL);
  waitpid(child_, &status_, 0);
  child_ = -1;
}

void Process::end() {
  if (child_ <= 0) return;
  kill(child_, farewell_);
  const auto until = SteadyClock::now() + kLongestEnd;
  while (!has_ended() && SteadyClock::now() < until) usleep(5'000);
  kill_now();
}

}  // namespace bloomery::cli
