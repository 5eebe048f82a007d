// A filter behind a proxy that garbles, cuts, delays and repeats what the server says, and one
// whose server dies: never a false "absent", and always an end in time.

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "bloomery/format/redisson.h"
#include "bloomery/redis/bitmap_place.h"
#include "tests/store/scratch_folder.h"
#include "tests/support/proxy.h"
#include "tests/support/redis_server.h"

namespace bloomery::redis {
namespace {

using testing::Proxy;
using testing::RedisServer;

class FilterBehindAProxy : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!RedisServer::is_installed()) GTEST_SKIP() << "no redis-server here";
    server_ = std::make_unique<RedisServer>(folder_.path().string());
    server_->ask("HSET '{f}:config' size 9585 hashIterations 7");
    for (int i = 0; i < 500; ++i) in_.push_back("in" + std::to_string(i));
    open("redis+unix://" + server_->socket() + "?trust=bits#f")
        ->insert_many(std::vector<Key>(in_.begin(), in_.end()));
  }

  static std::unique_ptr<FilterPlace> open(const std::string& location) {
    return open_bitmap_place(redisson::kFormat, location, true);
  }
  // Opened through the proxy, as often as that takes.
  static std::unique_ptr<FilterPlace> open(const Proxy& proxy, const std::string& settings) {
    for (;;) {
      try {
        return open("redis://127.0.0.1:" + std::to_string(proxy.port()) + settings +
                    "&trust=bits#f");
      } catch (const StoreError&) {
        std::this_thread::sleep_for(BackOff::kShortest);
      }
    }
  }

  // How many of the keys that are in were answered, by questions of ten.
  int ask_all(FilterPlace& place, std::chrono::milliseconds limit) {
    int answered = 0;
    for (std::size_t start = 0; start < in_.size(); start += 10) {
      const std::vector<Key> keys(in_.begin() + static_cast<std::ptrdiff_t>(start),
                                  in_.begin() + static_cast<std::ptrdiff_t>(start + 10));
      std::vector<Presence> answers(keys.size(), Presence::unknown);
      try {
        place.presence_of_many(keys, answers, CallContext::within(limit));
      } catch (const StoreError&) {
        std::this_thread::sleep_for(BackOff::kShortest);
      } catch (const CallAborted&) {
      }
      for (const Presence answer : answers) {
        EXPECT_NE(answer, Presence::absent);
        answered += answer == Presence::maybe ? 1 : 0;
      }
    }
    return answered;
  }

  testing::ScratchFolder folder_;
  std::unique_ptr<RedisServer> server_{};
  std::vector<std::string> in_{};
};

TEST_F(FilterBehindAProxy, ThatGarblesAByteSaysNothingFalse) {
  Proxy proxy(server_->socket(), [](std::string& bytes, std::mt19937& random) {
    if (random() % 2 == 0) {
      constexpr std::string_view kLikely = "0123456789-:$*+\r\n";
      char& byte = bytes[random() % bytes.size()];
      byte = random() % 2 == 0 ? kLikely[random() % kLikely.size()]
                               : static_cast<char>(byte ^ (1 << random() % 8));
    }
    return true;
  });
  int answered = 0;
  for (int round = 0; round < 6; ++round) {
    answered += ask_all(*open(proxy, "?timeout=50"), std::chrono::milliseconds(50));
  }
  EXPECT_GT(answered, 0);
}

TEST_F(FilterBehindAProxy, ThatCutsAnywhereSaysNothingFalse) {
  Proxy proxy(server_->socket(), [](std::string& bytes, std::mt19937& random) {
    if (random() % 3 != 0) return true;
    bytes.resize(random() % bytes.size());
    return false;
  });
  const auto place = open(proxy, "?timeout=5000");
  EXPECT_GT(ask_all(*place, std::chrono::milliseconds(5'000)), 0);
  EXPECT_GT(proxy.connections(), 10);
}

TEST_F(FilterBehindAProxy, ThatRepeatsOrSwallowsSaysNothingFalse) {
  Proxy proxy(server_->socket(), [](std::string& bytes, std::mt19937& random) {
    if (random() % 4 == 0) bytes += bytes;
    if (random() % 4 == 0) bytes.erase(random() % bytes.size(), 1 + random() % 30);
    return true;
  });
  const auto place = open(proxy, "?timeout=50");
  EXPECT_GT(ask_all(*place, std::chrono::milliseconds(50)), 0);
}

TEST_F(FilterBehindAProxy, ThatDelaysAnswersNobodyElsesQuestion) {
  Proxy proxy(server_->socket(), [](std::string&, std::mt19937& random) {
    if (random() % 4 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(60));
    return true;
  });
  const auto place = open(proxy, "?timeout=1000");
  EXPECT_GT(ask_all(*place, std::chrono::milliseconds(40)), 0);
}

TEST_F(FilterBehindAProxy, ThatIsOneReplyBehindSaysNothingFalse) {
  std::atomic<bool> is_behind = false;
  std::string before;
  Proxy proxy(server_->socket(), [&](std::string& bytes, std::mt19937&) {
    if (is_behind) {
      std::swap(bytes, before);
    } else {
      before = bytes;
    }
    return true;
  });
  const auto place = open(proxy, "?timeout=5000");
  // Until all that it asks besides is the same from question to question.
  for (int i = 0; i < 40; ++i) {
    EXPECT_NE(place->presence_of("out" + std::to_string(i)), Presence::unknown);
  }
  ASSERT_EQ(place->presence_of("stranger"), Presence::absent);
  is_behind = true;
  for (int i = 0; i < 4; ++i) {
    try {
      EXPECT_NE(place->presence_of(in_[static_cast<std::size_t>(i)]), Presence::absent);
    } catch (const ConnectionError&) {
    }
  }
}

TEST_F(FilterBehindAProxy, InsertsThatReturnedAreInWhateverWasCut) {
  Proxy proxy(server_->socket(),
              [](std::string&, std::mt19937& random) { return random() % 3 != 0; });
  const auto place = open(proxy, "?timeout=5000");
  std::vector<std::string> acknowledged;
  for (int i = 0; i < 100; ++i) {
    const std::string text = "new" + std::to_string(i);
    const Key key = text;
    Inserted outcome = Inserted::unknown;
    try {
      place->insert_many({&key, 1}, {&outcome, 1});
      acknowledged.push_back(text);
    } catch (const StoreError&) {
      std::this_thread::sleep_for(BackOff::kShortest);
    }
  }
  EXPECT_GT(acknowledged.size(), 20U);
  const auto direct = open("redis+unix://" + server_->socket() + "?trust=bits#f");
  for (const std::string& key : acknowledged) {
    EXPECT_EQ(direct->presence_of(key), Presence::maybe);
  }
}

TEST_F(FilterBehindAProxy, AServerThatDiesEmptyHandedIsNotBelievedAfterwards) {
  const auto place = open("redis+unix://" + server_->socket() + "?trust=bits#f");
  EXPECT_EQ(place->presence_of("out"), Presence::absent);
  ask_all(*place, std::chrono::milliseconds(5'000));
  server_->end(SIGKILL);
  EXPECT_THROW(place->presence_of("out"), ConnectionError);
  server_ = nullptr;
  server_ = std::make_unique<RedisServer>(folder_.path().string());
  // Somebody fills it again, from the beginning.
  server_->ask("HSET '{f}:config' size 9585 hashIterations 7");
  server_->ask("SETBIT f 9584 1");
  std::this_thread::sleep_for(BackOff::kLongest);
  EXPECT_EQ(ask_all(*place, std::chrono::milliseconds(5'000)), 0);
  EXPECT_EQ(place->presence_of("out"), Presence::unknown);
}

}  // namespace
}  // namespace bloomery::redis
