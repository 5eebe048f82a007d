// SPDX-License-Identifier: Apache-2.0
// Failovers of the server in which the filter is, of the kind that loses writes.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include "bloomery/open/open_place.h"
#include "bloomery/source/open_changes.h"
#include "tests/follow/follow_scene.h"
#include "tests/support/fake_sentinel.h"
#include "tests/support/redis_server.h"
#include "tests/support/unused_port.h"

namespace bloomery {
namespace {

// A sentinel in a process of its own: this one has no threads, since a child that is forked beside
// one may wait for ever for a lock that it held.
class SentinelProcess {
 public:
  std::uint16_t port() const {
    const auto until = Clock::now() + std::chrono::seconds(20);
    while (said_->own == 0 && Clock::now() < until) {
      std::this_thread::sleep_for(milliseconds(1));
    }
    return said_->own;
  }
  void name_primary(std::uint16_t port) { said_->primary = port; }

 private:
  struct Ports {
    std::atomic<std::uint16_t> own = 0;
    std::atomic<std::uint16_t> primary = 0;
  };

  static Ports* map_shared() {
    void* const both =
        mmap(nullptr, sizeof(Ports), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (both == MAP_FAILED) throw std::runtime_error("no memory to share");
    return new (both) Ports;
  }

  std::unique_ptr<Ports, void (*)(Ports*)> said_{map_shared(),
                                                 [](Ports* both) { munmap(both, sizeof *both); }};
  Child process_{[said = said_.get()]() -> Tally {
    const testing::FakeServer server(
        testing::answering([said] { return testing::address_of(std::to_string(said->primary)); }));
    said->own = server.port();
    while (true) std::this_thread::sleep_for(std::chrono::hours(1));
  }};
};

// A primary, its replica, and a sentinel that says which is which.
class RedisPair {
 public:
  explicit RedisPair(const std::string& folder)
      : primary_(start(folder + "/a")), replica_(start(folder + "/b")) {
    name_primary();
    follow_primary();
  }

  std::string location() const {
    return "bitmap:redis+sentinel://127.0.0.1:" + std::to_string(sentinel_.port()) +
           "/primary?client_name=proof&timeout=2000#users";
  }
  // The replica gets nothing from here on.
  void cut() { replica_.server->ask("REPLICAOF 127.0.0.1 " + nobody_); }
  // The replica is the primary, with what it had. The old one does not know.
  void fail_over() {
    replica_.server->ask("REPLICAOF NO ONE");
    std::swap(primary_, replica_);
    name_primary();
  }
  // The old one comes back as the replica of the new one, or as the primary, with what it has.
  void bring_back() { follow_primary(); }
  void turn_back() {
    std::swap(primary_, replica_);
    name_primary();
    follow_primary();
  }
  void freeze_old() { replica_.server->send(SIGSTOP); }
  void thaw_old() { replica_.server->send(SIGCONT); }

  // The replica has all that the primary had when this was called.
  void wait_until_in_step() const {
    const auto until = Clock::now() + std::chrono::seconds(10);
    const std::uint64_t offset = offset_in(primary_, "master_repl_offset:");
    while (offset_in(replica_, "slave_repl_offset:") < offset) {
      ASSERT_LT(Clock::now(), until) << replica_.server->ask("INFO replication");
      std::this_thread::sleep_for(milliseconds(5));
    }
  }

 private:
  struct Server {
    std::string port;
    std::unique_ptr<testing::RedisServer> server;
  };

  // Returns the offset that `of` reports; 0 for a replica whose link is down, and for a server that
  // does not report one.
  static std::uint64_t offset_in(const Server& of, const std::string& name) {
    const std::string info = of.server->ask("INFO replication");
    const std::size_t at = info.find(name);
    const bool is_down = info.find("master_link_status:down") != std::string::npos;
    return is_down || at == std::string::npos ? 0 : std::stoull(info.substr(at + name.size()));
  }
  static Server start(const std::string& folder) {
    std::filesystem::create_directories(folder);
    std::string port = std::to_string(testing::unused_port());
    auto server = std::make_unique<testing::RedisServer>(
        folder, std::vector<std::string>{"--port", port, "--repl-diskless-sync-delay", "0"});
    return {std::move(port), std::move(server)};
  }
  void name_primary() {
    sentinel_.name_primary(static_cast<std::uint16_t>(std::stoi(primary_.port)));
  }
  void follow_primary() { replica_.server->ask("REPLICAOF 127.0.0.1 " + primary_.port); }

  const std::string nobody_ = std::to_string(testing::unused_port());
  Server primary_;
  Server replica_;
  SentinelProcess sentinel_{};
};

class FollowFailover : public FollowScene {
 protected:
  PlaceLocation bitmap() const override { return parse_place_location(redis_.location()); }

  void pass_time() const { std::this_thread::sleep_for(milliseconds(150)); }

  RedisPair redis_{folder_.path("")};
};

// Without a fence it is denied, whoever is asked.
TEST_P(FollowFailover, WhatWasLostIsUnknownUntilItWasSentAgain) {
  constexpr int kRows = 50;
  auto following = std::make_unique<Child>(follower(std::chrono::hours(1)));
  wait_until_followed();
  redis_.wait_until_in_step();
  redis_.cut();
  const auto session = database_->connect();
  const auto key = [](int i) { return "lost " + std::to_string(i); };
  for (int i = 0; i < kRows; ++i) session->run("INSERT INTO users(id) VALUES ('" + key(i) + "')");
  const auto answers = [&](bool is_fenced, Presence wanted) {
    const Reader reader(*this);
    int count = 0;
    for (int i = 0; i < kRows; ++i) count += reader.ask(key(i), is_fenced) == wanted ? 1 : 0;
    return count;
  };
  const auto wait_until_in = [&] {
    const auto until = Clock::now() + std::chrono::seconds(20);
    while (answers(true, Presence::maybe) < kRows) {
      ASSERT_LT(Clock::now(), until) << "are never carried";
      std::this_thread::sleep_for(milliseconds(5));
    }
  };
  wait_until_in();
  following->kill_now();
  redis_.fail_over();
  EXPECT_GT(answers(false, Presence::absent), kRows / 2) << "the failover lost nothing";
  EXPECT_EQ(answers(true, Presence::unknown), kRows);
  following = std::make_unique<Child>(follower(std::chrono::hours(1)));
  wait_until_in();
  EXPECT_EQ(answers(false, Presence::maybe), kRows);
}

TEST_P(FollowFailover, NoRowIsDeniedThatWasCommitted) {
  const Child following(follower(std::chrono::hours(1)));
  wait_until_followed();
  fewest_absent_ = 1;
  int turn = 0;
  const Tally all = run_writers(scene_time(4000), writers(true), [&] {
    redis_.wait_until_in_step();
    pass_time();
    redis_.cut();
    pass_time();
    redis_.fail_over();
    const int kind = turn++ % 3;
    if (kind == 1) redis_.freeze_old();
    pass_time();
    if (kind == 1) redis_.thaw_old();
    if (kind == 1) pass_time();
    kind == 2 ? redis_.turn_back() : redis_.bring_back();
  });
  EXPECT_GT(turn, 2);
  EXPECT_GT(all.asked, 5U);
  EXPECT_EQ(all.false_absent, 0U);
  EXPECT_GT(all.others_absent, 0U);
}

INSTANTIATE_TEST_SUITE_P(Databases, FollowFailover,
                         ::testing::Values("sqlite_wal", "postgres", "mariadb", "mysql"),
                         [](const auto& one) { return one.param; });

}  // namespace
}  // namespace bloomery
