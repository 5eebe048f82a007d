// SPDX-License-Identifier: Apache-2.0
// copy:bloom: and copy:bitmap: that a replica feeds, and whose slot goes from node to node: no row
// that the fence has is denied. BLOOMERY_LONG=1 plays each scene for ten seconds.
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "bloomery/filter/filter_kinds.h"
#include "bloomery/open/open_place.h"
#include "bloomery/redis/client/client.h"
#include "bloomery/redis/places/native_load.h"
#include "tests/module/cluster_nodes.h"
#include "tests/module/slot_move.h"
#include "tests/place/copied_table.h"

namespace bloomery {
namespace {

using testing::ClusterTest;
using testing::comes_true;
using testing::CopiedTable;
using testing::free_port;
using testing::ModuleServer;
using testing::SlotMove;

// Makes the filter of a location behind "bloom:" or "bitmap:".
void make_filter_at(const std::string& format, const std::string& location) {
  redis::Client client(redis::parse_location(location));
  const std::string& key = client.location().key;
  if (format == "bloom:") {
    redis::Request request;
    request.add({"BLOOM.RESERVE", key, "0.0001", "100000", "EXPANSION", "0"}).about(key);
    const auto answer = client.run(request, redis::Repeat::never);
    redis::require_done(answer.replies.at(0), client.location());
    return;
  }
  const AnyFilter filter = make_filter(
      FilterKind::blocked, {.capacity = 100'000, .false_positive_rate = 1e-4, .seed = 7});
  redis::load_native(client, filter.contents(), {});
}

// The follower writes to `written`, and the copy is of `read`.
void play(const std::string& format, const std::string& written, const std::string& read,
          const std::function<void()>& what) {
  const std::string follower = format + written.substr(0, written.find('#')) +
                               (format == "bitmap:" ? "&deltas=1000000" : "") +
                               written.substr(written.find('#'));
  const auto open = [&] { return open_place(follower, {.access = PlaceOptions::read_write}); };
  ASSERT_TRUE(comes_true([&] {
    try {
      return open_place(format + read)->head().identity.is_set();
    } catch (const std::exception&) {
      return false;  // it is not there yet
    }
  }));
  CopiedTable table({open}, open_place("copy:" + format + read));
  table.play(what);
}

class CopiedReplicas : public ClusterTest, public ::testing::WithParamInterface<const char*> {
 protected:
  void start_both() {
    if (IsSkipped()) return;
    primary_ = std::make_unique<ModuleServer>(
        folder("primary"), std::vector<std::string>{},
        std::vector<std::string>{"--port", port_, "--repl-diskless-sync-delay", "0"});
    make_filter_at(GetParam(), at(*primary_));
    begin_replica();
    ASSERT_TRUE(testing::has_synced(*replica_));
    read_ = at(*replica_, "&replica=1");
  }
  void begin_replica(const std::string& module = BLOOMERY_MODULE_FILE) {
    replica_ = std::make_unique<ModuleServer>(
        folder("replica"), std::vector<std::string>{},
        std::vector<std::string>{"--replicaof", "127.0.0.1 " + port_}, module);
  }
  void begin_replica_anew(const std::string& module = BLOOMERY_MODULE_FILE) {
    replica_->end(SIGKILL);
    replica_.reset();
    begin_replica(module);
  }
  static std::string at(const ModuleServer& server, const std::string& more = "") {
    return "redis+unix://" + server.socket() + "?timeout=500" + more + "#f";
  }
  void play_scene(const std::function<void()>& what) {
    if (IsSkipped() || primary_ == nullptr) return;
    play(GetParam(), at(*primary_), read_, what);
  }

  const std::string port_ = free_port();
  std::unique_ptr<ModuleServer> primary_{};
  std::unique_ptr<ModuleServer> replica_{};
  std::string read_;
};

TEST_P(CopiedReplicas, NothingHappens) {
  start_both();
  play_scene([] {});
}

TEST_P(CopiedReplicas, TheReplicaIsBegunAnew) {
  start_both();
  play_scene([&] { begin_replica_anew(); });
}

// With one that .ci/run --long builds of an older state of this project, which gives no copies.
TEST_P(CopiedReplicas, TheReplicaHasAnOlderModuleForAWhile) {
  const char* const older = std::getenv("BLOOMERY_OLDER_MODULE");
  if (older == nullptr) GTEST_SKIP() << "BLOOMERY_OLDER_MODULE names no older bloomery.so";
  start_both();
  play_scene([&] {
    begin_replica_anew(older);
    EXPECT_TRUE(testing::has_synced(*replica_));
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    begin_replica_anew();
  });
}

TEST_P(CopiedReplicas, TheReplicaIsAPrimaryForAWhile) {
  start_both();
  play_scene([&] {
    replica_->ask("REPLICAOF NO ONE");
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    replica_->ask("REPLICAOF 127.0.0.1 " + port_);
  });
}

TEST_P(CopiedReplicas, ThePrimaryIsAReplicaForAWhile) {
  start_both();
  play_scene([&] {
    primary_->ask("REPLICAOF 127.0.0.1 1");
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    primary_->ask("REPLICAOF NO ONE");
  });
}

class CopiedSlots : public ClusterTest, public ::testing::WithParamInterface<const char*> {};

TEST_P(CopiedSlots, GoFromNodeToNode) {
  {
    ModuleServer any(folder("any"));
    if (SlotMove::way_of(any) == SlotMove::Way::none) {
      GTEST_SKIP() << "this server moves no slot at once";
    }
  }
  ASSERT_TRUE(start(2));
  const std::string slot = slot_of("{a}f");
  if (std::stoul(slot) >= 8192) std::swap(nodes_[0], nodes_[1]);
  const std::string location = "redis+cluster://127.0.0.1:" + nodes_[0].port +
                               ",127.0.0.1:" + nodes_[1].port + "?timeout=2000#{a}f";
  make_filter_at(GetParam(), location);
  std::size_t owner = 0;
  play(GetParam(), location, location, [&] {
    SlotMove move(slot, nodes_[owner], nodes_[1 - owner]);
    ASSERT_TRUE(move.succeeds()) << move.shown();
    owner = 1 - owner;
  });
}

const auto kFormats = ::testing::Values("bloom:", "bitmap:");
const auto kFormatNames = [](const auto& format) {
  return std::string(format.param) == "bloom:" ? "bloom" : "bitmap";
};
INSTANTIATE_TEST_SUITE_P(All, CopiedReplicas, kFormats, kFormatNames);
INSTANTIATE_TEST_SUITE_P(All, CopiedSlots, kFormats, kFormatNames);

}  // namespace
}  // namespace bloomery
