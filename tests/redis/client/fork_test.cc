// SPDX-License-Identifier: Apache-2.0
// Processes that were forked while a place, a cache or a client was open in a server.

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "bloomery/cache/redis_cache.h"
#include "bloomery/filter/filter_kinds.h"
#include "bloomery/redis/client/client.h"
#include "bloomery/redis/client/transaction.h"
#include "bloomery/redis/places/native_load.h"
#include "bloomery/redis/places/native_place.h"
#include "tests/store/scratch_folder.h"
#include "tests/support/redis_server.h"

namespace bloomery::redis {
namespace {

using testing::RedisServer;

class AfterAFork : public ::testing::Test {
 protected:
  static constexpr int kChildren = 4;
  static constexpr int kRounds = 100;

  void SetUp() override {
    if (!RedisServer::is_installed()) GTEST_SKIP() << "no redis-server here";
    server_ = std::make_unique<RedisServer>(folder_.path().string());
  }
  std::string at(const std::string& key) const {
    return "redis+unix://" + server_->socket() + "?connections=1&timeout=20000#" + key;
  }
  // The children, with numbers from 1, and the parent, 0, at the same time.
  static void expect_in_all(const std::function<bool(int)>& is_right) {
    std::vector<pid_t> children;
    for (int i = 1; i <= kChildren; ++i) {
      children.push_back(fork());
      if (children.back() != 0) continue;
      try {
        _exit(is_right(i) ? 0 : 1);
      } catch (...) {
        _exit(2);
      }
    }
    EXPECT_TRUE(is_right(0));
    for (const pid_t child : children) {
      int status = -1;
      ASSERT_EQ(waitpid(child, &status, 0), child);
      EXPECT_EQ(status, 0);
    }
  }

  testing::ScratchFolder folder_;
  std::unique_ptr<RedisServer> server_{};
};

TEST_F(AfterAFork, EachProcessAsksOnAConnectionOfItsOwn) {
  Client client(parse_location(at("any")));
  const auto number = [&] {
    const Answer answer = client.run(Request().add({"CLIENT", "ID"}), Repeat::never, CallContext{});
    return answer.replies.at(0).number;
  };
  const auto parents = number();
  expect_in_all([&](int process) {
    const auto first = number();
    return (process == 0) == (first == parents) && number() == first;
  });
}

TEST_F(AfterAFork, NoProcessCountsItsQuestionsAsAnotherDoes) {
  const std::string before = next_nonce();
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    const std::string nonce = next_nonce();
    _exit(write(ends[1], nonce.data(), nonce.size()) > 0 ? 0 : 1);
  }
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  char bytes[32];
  const ssize_t size = read(ends[0], bytes, sizeof bytes);
  ASSERT_GT(size, 0);
  close(ends[0]);
  close(ends[1]);
  EXPECT_EQ(next_nonce(), std::to_string(std::stoull(before) + 1));
  const auto apart =
      std::stoull(std::string(bytes, static_cast<std::size_t>(size))) - std::stoull(before);
  EXPECT_GT(apart, 1'000U);
}

TEST_F(AfterAFork, NoPresentKeyIsAbsentInAnyProcess) {
  const auto key = [](int process, int i) {
    return "k" + std::to_string(process) + "/" + std::to_string(i);
  };
  Client client(parse_location(at("f")));
  AnyFilter filter =
      make_filter(FilterKind::blocked, {.capacity = 1000, .false_positive_rate = 0.001, .seed = 7});
  for (int process = 0; process <= kChildren; ++process) {
    for (int i = 0; i < kRounds; ++i) filter.insert(Key(key(process, i)));
  }
  load_native(client, filter.contents(), {});
  const auto place = open_native_place(at("f"), false);
  ASSERT_EQ(place->presence_of(Key(key(0, 0))), Presence::maybe);
  expect_in_all([&](int process) {
    for (int i = 0; i < kRounds; ++i) {
      if (place->presence_of(Key(key(process, i))) != Presence::maybe) return false;
    }
    return true;
  });
}

// The allocators of sanitizers have locks that a child finds held.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && !defined(__clang__)
TEST_F(AfterAFork, AChildIsAnsweredWhateverItsParentsThreadsWereDoing) {
  Client client(parse_location(at("f")));
  AnyFilter filter = make_filter(FilterKind::blocked, {.capacity = 1000, .seed = 7});
  filter.insert("in");
  load_native(client, filter.contents(), {});
  const auto place = open_native_place(at("f"), false);
  std::atomic<bool> is_over = false;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      while (!is_over) EXPECT_EQ(place->presence_of("in"), Presence::maybe);
    });
  }
  for (int i = 0; i < 20; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(20);  // ends one that waits for ever
      try {
        const auto context = CallContext::within(std::chrono::seconds(10));
        _exit(place->presence_of("in", context) == Presence::maybe ? 0 : 1);
      } catch (...) {
        _exit(2);
      }
    }
    int status = -1;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  is_over = true;
  for (std::thread& each : threads) each.join();
}
#endif

TEST_F(AfterAFork, NobodyReadsAnothersValueFromASharedCache) {
  RedisCache<> cache(at("cache"));
  const auto key = [](int process) { return "key" + std::to_string(process); };
  for (int i = 0; i <= kChildren; ++i) {
    cache.put(key(i), "of " + key(i), std::chrono::minutes(10));
  }
  expect_in_all([&](int process) {
    for (int i = 0; i < kRounds; ++i) {
      CacheAnswer<std::string> answer;
      const std::string mine = key(process);
      const Key asked(mine);
      cache.get_many({&asked, 1}, {&answer, 1});
      if (answer.state != Cached::hit || answer.value != "of " + mine) return false;
    }
    return true;
  });
}

}  // namespace
}  // namespace bloomery::redis
