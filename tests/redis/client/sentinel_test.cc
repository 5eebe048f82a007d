// SPDX-License-Identifier: Apache-2.0
// Who the primary is, sentinels say: some that only say so, and a real one whose primary dies.

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "bloomery/format/redisson.h"
#include "bloomery/redis/client/client.h"
#include "bloomery/redis/places/bitmap_place.h"
#include "tests/store/scratch_folder.h"
#include "tests/support/fake_sentinel.h"
#include "tests/support/fake_server.h"
#include "tests/support/redis_server.h"
#include "tests/support/unused_port.h"

namespace bloomery::redis {
namespace {

using testing::address_of;
using testing::answering;
using testing::FakeServer;
using testing::RedisServer;

class Sentinels : public ::testing::Test {
 protected:
  static constexpr const char* kPassword = "hush";

  void SetUp() override {
    if (!RedisServer::is_installed()) GTEST_SKIP() << "no redis-server here";
    setenv("BLOOMERY_TEST_PRIMARY", kPassword, 1);
    setenv("BLOOMERY_TEST_SENTINEL", "watch", 1);
  }

  std::string folder(const std::string& name) const {
    const auto path = folder_.path() / name;
    std::filesystem::create_directories(path);
    return path.string();
  }
  std::unique_ptr<RedisServer> start(const std::string& name, const std::string& port,
                                     const std::string& primary_port = "") const {
    // Set later, a password may come in the middle of a replica's handshake, which then hangs for a
    // minute.
    std::vector<std::string> options{
        "--port",       port,  "--repl-diskless-sync-delay", "0", "--masteruser", "app",
        "--masterauth", "hush"};
    if (!primary_port.empty()) {
      options.insert(options.end(), {"--replicaof", "127.0.0.1 " + primary_port});
    }
    auto server = std::make_unique<RedisServer>(folder(name), options);
    server->ask("ACL SETUSER app on '>hush' ~* '&*' +@all");
    return server;
  }
  // Returns a location by the sentinels at these ports.
  static std::string at(const std::vector<std::string>& ports, const std::string& settings = "") {
    std::string hosts;
    for (const std::string& each : ports)
      hosts += (hosts.empty() ? "" : ",") + ("127.0.0.1:" + each);
    return "redis+sentinel://" + hosts +
           "/primary/"
           "2?user=app&password_env=BLOOMERY_TEST_PRIMARY&client_name=tested&timeout=2000&trust="
           "bits" +
           settings + "#f";
  }

  testing::ScratchFolder folder_;
};

std::string new_port() {
  return std::to_string(testing::unused_port());
}

void init_filter(const RedisServer& server) {
  server.ask("-n 2 HSET '{f}:config' size 95850 hashIterations 7");
}

TEST_F(Sentinels, AreAskedOneAfterAnotherAndThePrimaryKnowsWhoComes) {
  const std::string port = new_port();
  const auto primary = start("a", port);
  FakeServer silent(FakeServer::saying(""));
  FakeServer ignorant(answering("*-1\r\n"));
  FakeServer wrong(answering("*2\r\n$1\r\na\r\n$5\r\n65536\r\n"));
  FakeServer one(answering(address_of(port)));
  Client client(
      parse_location(at({new_port(), std::to_string(silent.port()), std::to_string(ignorant.port()),
                         std::to_string(wrong.port()), std::to_string(one.port())},
                        "&timeout=1000")));
  const Request who =
      Request().add({"SET", "k", "v"}).add({"CLIENT", "GETNAME"}).add({"ACL", "WHOAMI"});
  for (int i = 0; i < 3; ++i) {
    const Answer answer = client.run(who, Repeat::never);
    EXPECT_TRUE(answer.replies.at(0).is_status("OK"));
    EXPECT_EQ(answer.replies.at(1).text, "tested");
    EXPECT_EQ(answer.replies.at(2).text, "app");
  }
  EXPECT_EQ(primary->ask("-n 2 EXISTS k"), "1\n");
  EXPECT_EQ(one.connections(), 1) << "asked again only in doubt";

  Client none(parse_location(at({std::to_string(ignorant.port())})));
  EXPECT_THROW(none.run(who, Repeat::safe), StoreError);
}

TEST_F(Sentinels, AReplicaIsNotTakenForThePrimaryHoweverItIsCalled) {
  const std::string ports[]{new_port(), new_port()};
  const auto first = start("a", ports[0]);
  const auto second = start("b", ports[1]);
  init_filter(*first);
  init_filter(*second);
  std::mutex mutex;
  std::string now = ports[0];
  FakeServer sentinel(answering([&] {
    const std::lock_guard lock(mutex);
    return address_of(now);
  }));
  const std::string location = at({std::to_string(sentinel.port())});
  const auto place = open_bitmap_place(redisson::kFormat, location, true);
  place->insert("in");
  Client writer(parse_location(location));
  const Request set = Request().add({"SET", "k", "v"});
  writer.run(set, Repeat::never);

  // A failover that the sentinel does not know of yet.
  first->ask("REPLICAOF 127.0.0.1 " + ports[1]);
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_THROW(writer.run(set, Repeat::never), ConnectionError)
      << "it asked, and was told the same";
  EXPECT_EQ(place->presence_of("out"), Presence::unknown);
  {
    const std::lock_guard lock(mutex);
    now = ports[1];
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_TRUE(writer.run(set, Repeat::never).replies.at(0).is_status("OK"));
  EXPECT_EQ(second->ask("-n 2 GET k"), "v\n");
  EXPECT_NE(place->presence_of("in"), Presence::absent) << "the write that the failover lost";
}

TEST_F(Sentinels, AFailoverIsFollowed) {
  const std::string ports[]{new_port(), new_port(), new_port()};
  const auto first = start("a", ports[0]);
  const auto second = start("b", ports[1], ports[0]);
  init_filter(*first);
  const std::string sentinel_folder = folder("sentinel");
  testing::write_file(sentinel_folder + "/redis.conf",
                      "sentinel monitor primary 127.0.0.1 " + ports[0] +
                          " 1\n"
                          "sentinel down-after-milliseconds primary 300\n"
                          "sentinel failover-timeout primary 3000\n"
                          "sentinel auth-user primary app\n"
                          "sentinel auth-pass primary hush\n");
  const RedisServer sentinel(sentinel_folder, {"--port", ports[2], "--sentinel"});
  sentinel.ask("SENTINEL DEBUG info-period 100 ping-period 300 ask-period 50 publish-period 100");
  sentinel.ask("CONFIG SET requirepass watch");
  sentinel.ask("ACL SETUSER default on '>watch'");

  const auto place = open_bitmap_place(
      redisson::kFormat,
      at({new_port(), ports[2]}, "&sentinel_password_env=BLOOMERY_TEST_SENTINEL"), true);
  int inserted = 0;
  const auto sentinel_knows_the_replica = [&] {
    return sentinel.ask("-a watch SENTINEL REPLICAS primary").find("\n" + ports[1] + "\n") !=
           std::string::npos;
  };
  for (int i = 0; i < 3000 && !sentinel_knows_the_replica(); ++i) {
    place->insert(std::to_string(inserted++));
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  place->insert(std::to_string(inserted++));
  const auto has_all = [&] {
    const std::string all =
        "-n 2 EVAL \"return redis.call('BITCOUNT', 'f') .. "
        "redis.call('HGET', '{f}:config', 'size')\" 0";
    const std::string bits_and_size = first->ask(all);
    return bits_and_size.ends_with("95850\n") && second->ask(all) == bits_and_size;
  };
  for (int i = 0; i < 3000 && !has_all(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  ASSERT_TRUE(has_all());
  std::this_thread::sleep_for(std::chrono::milliseconds(300));  // the sentinel asks how it is

  first->end(SIGKILL);
  const auto start_of_death = std::chrono::steady_clock::now();
  bool is_back = false;
  while (!is_back && std::chrono::steady_clock::now() - start_of_death < std::chrono::seconds(15)) {
    try {
      place->insert("after");
      is_back = true;
    } catch (const ConnectionError&) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }
  ASSERT_TRUE(is_back);
  for (int i = 0; i < inserted; ++i) {
    EXPECT_EQ(place->presence_of(std::to_string(i)), Presence::maybe) << i;
  }
  EXPECT_EQ(place->presence_of("after"), Presence::maybe);
  EXPECT_NE(second->ask("ACL LIST").find("app"), std::string::npos);
  EXPECT_NE(second->ask("CLIENT LIST").find("name=tested"), std::string::npos);
  EXPECT_NE(second->ask("CLIENT LIST").find("user=app"), std::string::npos);
}

}  // namespace
}  // namespace bloomery::redis
