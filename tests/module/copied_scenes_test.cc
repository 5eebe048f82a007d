// SPDX-License-Identifier: Apache-2.0
// copy:bloom: while its server is killed, put back, emptied and filled: no row that the fence has
// is denied. BLOOMERY_LONG=1 runs each scene for ten seconds.
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "bloomery/open/open_place.h"
#include "tests/module/server_client.h"
#include "tests/module/server_state.h"
#include "tests/place/copied_table.h"

namespace bloomery {
namespace {

using std::chrono::milliseconds;
using testing::CopiedTable;
using testing::ModuleServer;
using testing::ModuleTest;

class CopiedScenes : public ModuleTest {
 protected:
  void start(const std::string& options = "EXPANSION 0", std::vector<std::string> settings = {}) {
    if (IsSkipped()) return;
    reserve_ = "BLOOM.RESERVE f 0.0001 100000 " + options;
    settings_ = std::move(settings);
    begin_server();
    server_->ask(reserve_);
    location_ = "bloom:redis+unix://" + server_->socket() + "?timeout=500#f";
  }
  void begin_server() { server_ = std::make_unique<ModuleServer>(folder(), settings_); }
  void kill_and_begin() {
    server_->end(SIGKILL);
    server_.reset();
    begin_server();
  }
  std::string ask(const std::string& command) { return server_->ask(command); }
  // Makes the filter where a scene took it away.
  void make_again() { ask(reserve_); }

  void play(const std::function<void()>& what) {
    if (IsSkipped()) return;
    CopiedTable table(
        {[this] { return open_place(location_, {.access = PlaceOptions::read_write}); }},
        open_place("copy:" + location_));
    table.play(what);
  }

  std::unique_ptr<ModuleServer> server_{};
  std::string location_;
  std::string reserve_;
  std::vector<std::string> settings_;
};

TEST_F(CopiedScenes, NothingHappens) {
  start();
  play([] {});
}

TEST_F(CopiedScenes, TheServerIsKilledAndHasAnOlderDump) {
  start();
  play([&] {
    ask("SAVE");
    std::this_thread::sleep_for(milliseconds(100));
    kill_and_begin();
  });
}

TEST_F(CopiedScenes, AnOlderDumpIsRestored) {
  start();
  play([&] {
    const std::string dump = server_->call({"DUMP", "f"}).text;
    std::this_thread::sleep_for(milliseconds(50));
    server_->call({"RESTORE", "f", "0", dump, "REPLACE"});
  });
}

TEST_F(CopiedScenes, TheServerIsEmptied) {
  start();
  play([&] {
    ask("FLUSHALL");
    make_again();
  });
}

TEST_F(CopiedScenes, TheFilterIsRebuiltUnderItsName) {
  start();
  play([&] {
    server_->call({"BLOOM.RESERVE", "g", "0.0001", "100000", "EXPANSION", "0"});
    server_->call({"RENAME", "g", "f"});
  });
}

TEST_F(CopiedScenes, TheFilterGrows) {
  start("EXPANSION 2");
  reserve_ = "BLOOM.RESERVE f 0.0001 100";
  if (server_ != nullptr) {
    ask("DEL f");
    make_again();
  }
  play([] {});
}

TEST_F(CopiedScenes, TheRingForgets) {
  start("EXPANSION 0", {"bf-delta-bytes", "64"});
  play([] {});
}

TEST_F(CopiedScenes, ConnectionsAreCut) {
  start();
  play([&] { ask("CLIENT KILL TYPE normal SKIPME yes"); });
}

}  // namespace
}  // namespace bloomery
