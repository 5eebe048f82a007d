// SPDX-License-Identifier: Apache-2.0
// copy:bitmap: while its server is killed, put back, emptied and filled, and while others write
// without leaving their steps: no row that the fence has is denied. BLOOMERY_LONG=1 runs each scene
// for ten seconds.
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bloomery/filter/filter_kinds.h"
#include "bloomery/open/open_place.h"
#include "bloomery/redis/client/location.h"
#include "bloomery/redis/places/native_load.h"
#include "bloomery/redis/places/partition_keys.h"
#include "bloomery/redis/places/string_deltas.h"
#include "tests/place/copied_table.h"
#include "tests/store/scratch_folder.h"
#include "tests/support/redis_server.h"

namespace bloomery {
namespace {

using testing::CopiedTable;
using testing::RedisServer;

class CopiedStringScenes : public ::testing::Test {
 protected:
  void start(std::uint64_t capacity = 100'000, std::uint32_t parts = 1) {
    if (!RedisServer::is_installed()) GTEST_SKIP() << "no redis-server here";
    begin_server();
    socket_ = server_->socket();
    capacity_ = capacity;
    parts_ = parts;
    make();
  }
  void begin_server() { server_ = std::make_unique<RedisServer>(folder_.path().string()); }
  std::string ask(const std::string& command) { return server_->ask(command); }
  testing::Reply call(const std::vector<std::string>& words) {
    return testing::Client(server_->socket()).call(words);
  }
  std::string at(const std::string& settings = "") const {
    std::string all = "timeout=500" + (settings.empty() ? "" : "&" + settings);
    if (parts_ > 1) all += "&partitions=" + std::to_string(parts_);
    return "redis+unix://" + socket_ + "?" + all + "#f";
  }
  // Puts an empty filter there, as a new one.
  void make() {
    const AnyFilter filter = make_filter(
        FilterKind::blocked, {.capacity = capacity_, .false_positive_rate = 1e-4, .seed = 7});
    redis::Client client(redis::parse_location(at()));
    redis::load_native(client, filter.contents(), {.old = redis::OldFilter::drop});
  }
  std::vector<std::string> keys() const {
    if (parts_ == 1) return {"f"};
    std::vector<std::string> all;
    for (std::uint32_t i = 0; i < parts_; ++i) {
      all.push_back(redis::partition_key("f", i, parts_));
    }
    return all;
  }
  void each_key(const std::string& before, const std::string& behind) {
    for (const std::string& key : keys()) ask(before + key + behind);
  }

  void play(const std::function<void()>& what,
            const std::vector<std::string>& followers = {"deltas=1000000"}) {
    if (IsSkipped()) return;
    std::vector<CopiedTable::Open> open;
    for (const std::string& settings : followers) {
      open.emplace_back([this, settings] {
        return open_place("bitmap:" + at(settings), {.access = PlaceOptions::read_write});
      });
    }
    CopiedTable table(std::move(open),
                      std::make_unique<LocalCopy>(open_place("bitmap:" + at()), copied()));
    table.play(what);
    hashes_ = table.copy().hashes();
  }

  // The options that `copy:` has, but in a hurry.
  LocalCopyOptions copied() const {
    return {.look_every = std::chrono::milliseconds(5), .deltas = redis::open_string_deltas(at())};
  }

  testing::ScratchFolder folder_;
  std::unique_ptr<RedisServer> server_{};
  std::string socket_;  // of each server
  std::uint64_t capacity_ = 0;
  std::uint32_t parts_ = 1;
  std::uint64_t hashes_ = 0;
};

TEST_F(CopiedStringScenes, NothingHappens) {
  start();
  play([] {});
  EXPECT_GT(hashes_, 0U);
}

TEST_F(CopiedStringScenes, TheServerIsKilledAndHasAnOlderDump) {
  start();
  play([&] {
    ask("SAVE");
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    server_->end(SIGKILL);
    server_.reset();
    begin_server();
  });
}

TEST_F(CopiedStringScenes, AnOlderDumpIsRestored) {
  start();
  play([&] {
    const std::string dump = call({"DUMP", "f"}).text;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    call({"RESTORE", "f", "0", dump, "REPLACE"});
  });
}

TEST_F(CopiedStringScenes, AnOlderStreamIsRestored) {
  start();
  play([&] {
    ask("COPY {f}.steps {f}.old REPLACE");
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    ask("COPY {f}.old {f}.steps REPLACE");
  });
}

TEST_F(CopiedStringScenes, BothAreRestored) {
  start();
  play([&] {
    ask("COPY f old REPLACE");
    ask("COPY {f}.steps {f}.old REPLACE");
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    ask("COPY {f}.old {f}.steps REPLACE");
    ask("COPY old f REPLACE");
  });
}

TEST_F(CopiedStringScenes, TheServerIsEmptied) {
  start();
  play([&] {
    ask("FLUSHALL");
    make();
  });
}

TEST_F(CopiedStringScenes, TheFilterIsRebuiltUnderItsName) {
  start();
  play([&] { make(); });
}

TEST_F(CopiedStringScenes, TheStreamIsTrimmed) {
  start();
  play([&] { ask("XTRIM {f}.steps MAXLEN 1"); }, {"deltas=4096"});
}

// A copy that was paused for an hour finds no stream: it went ten minutes after the last step.
TEST_F(CopiedStringScenes, TheStreamGoesByTime) {
  start();
  play([&] { ask("PEXPIRE {f}.steps 1"); });
}

TEST_F(CopiedStringScenes, AnOlderFollowerStepsInBetween) {
  start();
  play([] {}, {"deltas=1000000", ""});
}

TEST_F(CopiedStringScenes, TwoFollowersLeaveTheirSteps) {
  start();
  play([] {}, {"deltas=1000000", "deltas=1000000"});
  EXPECT_GT(hashes_, 0U);
}

TEST_F(CopiedStringScenes, NobodyLeavesSteps) {
  start();
  play([] {}, {""});
  EXPECT_EQ(hashes_, 0U);
}

TEST_F(CopiedStringScenes, TheFilterIsInPartitions) {
  start(100'000, 4);
  play([] {});
  EXPECT_GT(hashes_, 0U);
}

TEST_F(CopiedStringScenes, PartitionsArePutBackOneByOne) {
  start(100'000, 4);
  std::size_t next = 0;
  play([&] {
    const std::string key = keys()[next++ % parts_];
    ask("COPY " + key + " old REPLACE");
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    ask("COPY old " + key + " REPLACE");
  });
}

TEST_F(CopiedStringScenes, ItIsPutBackWhileItIsReadWhole) {
  start(3'000'000);  // several pieces
  play([&] {
    ask("COPY f old REPLACE");
    ask("DEL {f}.steps");
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    ask("COPY old f REPLACE");
  });
}

TEST_F(CopiedStringScenes, ConnectionsAreCut) {
  start();
  play([&] { ask("CLIENT KILL TYPE normal SKIPME yes"); });
}

}  // namespace
}  // namespace bloomery
