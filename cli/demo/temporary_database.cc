// SPDX-License-Identifier: Apache-2.0
#include "cli/demo/temporary_database.h"

#include <signal.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <stdexcept>
#include <utility>

#include "cli/temporary_folder.h"

namespace bloomery::cli {
namespace {

// The files that the signal handler removes. Their names exist before it can run, for it may not
// allocate.
struct Paths {
  std::string folder;
  std::string database;
  std::array<std::string, 3> beside;  // journals of both sorts, and what goes with the newer
};
Paths g_paths;
volatile sig_atomic_t g_exists = 0;

constexpr std::array kSignals{SIGINT, SIGTERM, SIGHUP, SIGPIPE};
using Handlers = std::array<struct sigaction, kSignals.size()>;
Handlers g_previous;

void remove_files() noexcept {
  if (std::exchange(g_exists, 0) == 0) return;
  for (const std::string& path : g_paths.beside) unlink(path.c_str());
  unlink(g_paths.database.c_str());
  rmdir(g_paths.folder.c_str());
}

// The handler was taken off when it was called, so the second signal is the death that was meant.
void remove_and_die(int signal) {
  const int saved = errno;
  remove_files();
  errno = saved;
  raise(signal);
}

void install_handlers() {
  struct sigaction action {};
  action.sa_handler = remove_and_die;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    sigaction(kSignals[i], nullptr, &g_previous[i]);
    // Under nohup a hang-up is ignored; so it stays.
    if (g_previous[i].sa_handler != SIG_IGN) sigaction(kSignals[i], &action, nullptr);
  }
}

}  // namespace

TemporaryDatabase::TemporaryDatabase() {
  const std::string folder = new_temporary_folder("bloomery-demo-", "the database");
  path_ = folder + "/words.db";
  g_paths = {.folder = folder,
             .database = path_,
             .beside = {path_ + "-journal", path_ + "-wal", path_ + "-shm"}};
  g_exists = 1;
  install_handlers();
}

TemporaryDatabase::~TemporaryDatabase() {
  remove_files();
  for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &g_previous[i], nullptr);
}

}  // namespace bloomery::cli
