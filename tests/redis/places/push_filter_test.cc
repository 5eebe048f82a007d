// SPDX-License-Identifier: Apache-2.0
// A filter on its way to a server whose slots move: which pieces are sent where.

#include "bloomery/redis/places/push_filter.h"

#include <gtest/gtest.h>

#include <mutex>
#include <string>
#include <vector>

#include "bloomery/filter/filter_kinds.h"
#include "bloomery/redis/client/client.h"
#include "tests/support/fake_server.h"

namespace bloomery::redis {
namespace {

using testing::FakeServer;

// Commands as they come, one after the other; an empty one at the end.
class Commands {
 public:
  Commands(int file, const std::atomic<bool>& over) : file_(file), over_(over) {}

  std::vector<std::string> next() {
    const std::string count = line();
    std::vector<std::string> words;
    for (int left = count.empty() ? 0 : std::stoi(count.substr(1)); left > 0; --left) {
      const std::size_t size = std::stoul(line().substr(1));
      if (!fill(size + 2)) return {};
      words.push_back(bytes_.substr(0, size));
      bytes_.erase(0, size + 2);
    }
    return words;
  }

 private:
  bool fill(std::size_t size) {
    std::string piece(1 << 20, '\0');
    while (bytes_.size() < size && !over_) {
      pollfd one{file_, POLLIN, 0};
      if (poll(&one, 1, 10) <= 0) continue;
      const ssize_t came = recv(file_, piece.data(), piece.size(), 0);
      if (came <= 0) return false;
      bytes_.append(piece.data(), static_cast<std::size_t>(came));
    }
    return bytes_.size() >= size;
  }
  std::string line() {
    std::size_t end = 0;
    while ((end = bytes_.find("\r\n")) == std::string::npos) {
      if (!fill(bytes_.size() + 1)) return {};
    }
    std::string text = bytes_.substr(0, end);
    bytes_.erase(0, end + 2);
    return text;
  }

  const int file_;
  const std::atomic<bool>& over_;
  std::string bytes_{};
};

// A server that notes the steps of loads, and says `refusal` from the step with that number on.
class LoadedServer {
 public:
  explicit LoadedServer(std::size_t refused_from = SIZE_MAX, std::string refusal = {})
      : refused_from_(refused_from),
        refusal_(std::move(refusal)),
        server_([this](int file, const std::atomic<bool>& over) { talk(file, over); }) {}

  std::uint16_t port() const noexcept { return server_.port(); }
  // "AT 0", "COMMIT", ...
  std::vector<std::string> taken() {
    const std::lock_guard lock(mutex_);
    return taken_;
  }

 private:
  void talk(int file, const std::atomic<bool>& over) {
    Commands commands(file, over);
    for (auto words = commands.next(); words.size() > 2; words = commands.next()) {
      std::string reply = "-" + refusal_ + "\r\n";
      {
        const std::lock_guard lock(mutex_);
        if (taken_.size() < refused_from_) {
          taken_.push_back(words[2] == "AT" ? "AT " + words[3] : words[2]);
          reply = "+OK\r\n";
        }
      }
      send(file, reply.data(), reply.size(), MSG_NOSIGNAL);
    }
  }

  const std::size_t refused_from_;
  const std::string refusal_;
  std::mutex mutex_;
  std::vector<std::string> taken_;
  FakeServer server_;
};

std::uint64_t push(const LoadedServer& server) {
  Client client(parse_location("redis://127.0.0.1:" + std::to_string(server.port()) + "#k"));
  const AnyFilter filter = make_filter(FilterKind::blocked, {.capacity = 5'000'000});
  return push_filter(filter.contents(), client);
}

const std::vector<std::string> kSteps{"BEGIN",      "AT 0",       "AT 1048576",
                                      "AT 2097152", "AT 3145728", "AT 4194304",
                                      "AT 5242880", "AT 6291456", "COMMIT"};

TEST(PushFilter, SendsPiecesInTheirOrder) {
  LoadedServer server;
  EXPECT_GT(push(server), 6'291'456U);
  EXPECT_EQ(server.taken(), kSteps);
}

TEST(PushFilter, PiecesThatANodeTookBeforeItsSlotMovedAreNotSentAgain) {
  LoadedServer there;
  LoadedServer here(3, "MOVED 12629 127.0.0.1:" + std::to_string(there.port()));
  push(here);
  std::vector<std::string> all = here.taken();
  const auto others = there.taken();
  all.insert(all.end(), others.begin(), others.end());
  EXPECT_EQ(all, kSteps);
  EXPECT_EQ(here.taken().size(), 3U);
}

TEST(PushFilter, EndsWithWhatTheServerSaysInMidTrip) {
  LoadedServer server(3, "ERR no such load");
  EXPECT_THROW(push(server), RefusedError);
  EXPECT_EQ(server.taken().size(), 3U) << "no COMMIT";
}

}  // namespace
}  // namespace bloomery::redis
