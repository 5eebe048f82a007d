// SPDX-License-Identifier: Apache-2.0
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
#include "bloomery/redis/places/bitmap_place.h"
#include "tests/store/scratch_folder.h"
#include "tests/support/fake_server.h"
#include "tests/support/proxy.h"
#include "tests/support/redis_server.h"
#include "tests/support/run_threads.h"

namespace bloomery::redis {
namespace {

using testing::FakeServer;
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

// Answers transactions as a server would whose bitmap has these lengths, one after the other, and
// no bit that is set.
FakeServer::Talk with_lengths(std::vector<std::string> lengths) {
  return [lengths](int file, const std::atomic<bool>& over) {
    std::string bytes;
    std::size_t next = 0;
    char piece[4096];
    while (!over) {
      pollfd one{file, POLLIN, 0};
      if (poll(&one, 1, 10) <= 0) continue;
      const ssize_t count = recv(file, piece, sizeof piece, 0);
      if (count <= 0) return;
      bytes.append(piece, static_cast<std::size_t>(count));
      for (std::size_t end; (end = bytes.find("EXEC\r\n")) != std::string::npos;) {
        const std::size_t nonce = bytes.find('$', bytes.find("ECHO\r\n"));
        std::string bits;
        int bit_count = 0;
        for (std::size_t at = 0; (at = bytes.find("\r\nGET\r\n", at)) < end; ++at) {
          bits += ":0\r\n";
          ++bit_count;
        }
        const std::string reply =
            "+OK\r\n+QUEUED\r\n+QUEUED\r\n+QUEUED\r\n+QUEUED\r\n*4\r\n" +
            bytes.substr(nonce, bytes.find('*', nonce) - nonce) +
            "*1\r\n$6\r\nmaster\r\n:" + lengths.at(std::min(next++, lengths.size() - 1)) + "\r\n*" +
            std::to_string(bit_count) + "\r\n" + bits;
        if (send(file, reply.data(), reply.size(), MSG_NOSIGNAL) < 0) return;
        bytes.erase(0, end + 6);
      }
    }
  };
}

// Two transactions open it. Then a trip has two, and another's inserts and a loss come between.
TEST(LossInMidTrip, IsNoticed) {
  for (const bool is_lost : {false, true}) {
    FakeServer server(with_lengths({"100", "100", "2500", is_lost ? "200" : "2500"}));
    const auto place = open_bitmap_place(
        *find_format("gozero"),
        "redis://127.0.0.1:" + std::to_string(server.port()) + "?bits=20000&trust=bits#f", false);
    std::vector<std::string> texts;
    for (int i = 0; i < 1'500; ++i) texts.push_back(std::to_string(i));
    std::vector<Presence> answers(texts.size(), Presence::unknown);
    place->presence_of_many(std::vector<Key>(texts.begin(), texts.end()), answers);
    EXPECT_EQ(answers.back(), is_lost ? Presence::unknown : Presence::absent);
  }
}

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
    if (random() % 4 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(120));
    return true;
  });
  const auto place = open(proxy, "?timeout=1000");
  EXPECT_GT(ask_all(*place, std::chrono::milliseconds(100)), 0);
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
  // Questions are asked until all that the place asks besides is the same from question to
  // question.
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

TEST_F(FilterBehindAProxy, SingleQuestionsThatShareTripsAreNeverAnsweredFalsely) {
  Proxy proxy(server_->socket(), [](std::string& bytes, std::mt19937& random) {
    if (random() % 8 == 0) bytes.resize(random() % bytes.size());
    if (random() % 8 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return random() % 16 != 0;
  });
  const auto place = open(proxy, "?timeout=200&connections=2");
  std::atomic<int> answered = 0;
  run_threads(8, [&](int t) {
    for (int i = 0; i < 15; ++i) {
      try {
        const std::string& key = in_[static_cast<std::size_t>(15 * t + i)];
        const auto limit = std::chrono::milliseconds(t % 2 == 0 ? 3 : 1'000);
        const Presence answer = place->presence_of(key, CallContext::within(limit));
        EXPECT_NE(answer, Presence::absent);
        answered += answer == Presence::maybe ? 1 : 0;
      } catch (const StoreError&) {
        std::this_thread::sleep_for(BackOff::kShortest);
      } catch (const CallAborted&) {
      }
    }
  });
  EXPECT_GT(answered, 0);
}

// The server says nothing meanwhile: a caller that has time waits on when the others have left.
TEST_F(FilterBehindAProxy, OfThoseWhoShareATripEachWaitsHisOwnTime) {
  std::atomic<bool> is_frozen = false;
  Proxy proxy(server_->socket(), [&](std::string&, std::mt19937&) {
    while (is_frozen) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return true;
  });
  const auto place = open(proxy, "?timeout=20000&connections=2");
  is_frozen = true;
  std::atomic<int> left = 0;
  std::atomic<int> answered = 0;
  run_threads(13, [&](int t) {
    if (t == 12) {
      while (left < 6) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      is_frozen = false;
      return;
    }
    try {
      const auto limit = std::chrono::milliseconds(t % 2 == 0 ? 20 : 20'000);
      EXPECT_EQ(place->presence_of(in_[0], CallContext::within(limit)), Presence::maybe);
      ++answered;
    } catch (const CallAborted&) {
      EXPECT_EQ(t % 2, 0);
      ++left;
    }
  });
  EXPECT_EQ(left, 6);
  EXPECT_EQ(answered, 6);
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
