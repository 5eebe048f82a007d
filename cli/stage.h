// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "cli/ending_signals.h"

// Stage, Account and Process are what a demo or an experiment needs of the machine: a folder, an
// account, processes. All of it goes when these objects do, in whichever way the program ends.
namespace bloomery::cli {

// Somebody wants the program to end.
struct Interrupted : std::runtime_error {
  explicit Interrupted(int which) : std::runtime_error("interrupted"), signal(which) {}
  int signal;
};

// Throws Interrupted where an ending signal comes within the time.
void pause(const EndingSignals& signals, std::chrono::milliseconds time);

// The account that servers run as, as some refuse to be root's.
struct Account {
  uid_t user = 0;  // 0: who we are
  gid_t group = 0;

  // The first of these that there is, where we are root; else ourselves.
  static Account other_than_root(const std::vector<std::string>& names);
};

// A new folder that only this account, and root, may enter.
class Stage {
 public:
  explicit Stage(Account account);
  ~Stage();
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  Account account() const noexcept { return account_; }

 private:
  const Account account_;
  std::string folder_;
};

// A program that runs in a group of its own, so that Ctrl-C comes to us alone; it dies with
// the thread that made it. Its words go to a log on the stage.
struct ProcessOptions {
  std::string input{};  // a file that it reads
  bool as_account = true;
  int farewell = SIGTERM;  // what asks it to end
};
class Process {
 public:
  Process(const Stage& stage, const std::string& log, std::vector<std::string> arguments,
          const ProcessOptions& options = {});
  ~Process() { end(); }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  // Waits until it has ended by itself, and throws with its log unless it did well.
  void finish(const EndingSignals& signals);
  // Waits until this holds. Throws with its log where it ends before, or is not there after so
  // long.
  void wait_until(const EndingSignals& signals, const std::function<bool()>& holds);
  // Throws with its log where it has ended.
  void require_alive();

  pid_t id() const noexcept { return child_; }  // -1: it has ended

  void kill_now();
  // Asks it to end, and kills it where it does not.
  void end();

 private:
  bool has_ended();
  [[noreturn]] void fail(const std::string& what) const;

  const std::string log_;
  const std::string name_;
  const int farewell_;
  pid_t child_ = -1;
  int status_ = 0;
};

}  // namespace bloomery::cli
