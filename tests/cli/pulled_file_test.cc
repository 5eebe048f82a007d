// SPDX-License-Identifier: Apache-2.0
#include "cli/pulled_file.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "bloomery/filter/filter_kinds.h"
#include "bloomery/open/open_place.h"
#include "bloomery/open/place_location.h"
#include "bloomery/redis/client/location.h"
#include "bloomery/redis/places/native_load.h"
#include "bloomery/store/file_version.h"
#include "bloomery/store/native_file.h"
#include "tests/store/scratch_folder.h"
#include "tests/support/proxy.h"
#include "tests/support/redis_server.h"

namespace bloomery::cli {
namespace {

bool holds_signals_back() {
  sigset_t blocked;
  sigemptyset(&blocked);
  pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
  return sigismember(&blocked, SIGINT) == 1 && sigismember(&blocked, SIGTERM) == 1;
}

class PulledFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!testing::RedisServer::is_installed()) GTEST_SKIP() << "no redis-server here";
    server_ = std::make_unique<testing::RedisServer>(folder_.path().string());
    location_ = "redis+unix://" + server_->socket() + "#f";
    redis::Client client(redis::parse_location(location_));
    redis::load_native(client, make_filter(FilterKind::blocked, {.capacity = 1000}).contents(), {});
  }

  const testing::ScratchFolder folder_;
  std::unique_ptr<testing::RedisServer> server_;
  std::string location_;
};

// One that came while the file was made live would leave a file that nobody can ask.
TEST_F(PulledFiles, HoldsSignalsBackFromTheFirstWriteInPlaceUntilTheFileIsWhole) {
  for (const bool in_place : {false, true}) {
    const PullArguments arguments{
        .from = parse_place_location("bitmap:" + location_),
        .to = parse_place_location((folder_.path() / "pulled.bloom").string()),
        .in_place = in_place,
        .replace = true};
    {
      PulledFile pulled(arguments);
      EXPECT_FALSE(holds_signals_back()) << "one that comes while it is read ends it";
      pulled.read_whole({});
      EXPECT_EQ(holds_signals_back(), in_place);
      EXPECT_EQ(inspect(arguments.to.file.path).is_live, in_place);
    }
    EXPECT_FALSE(inspect(arguments.to.file.path).is_live);
    EXPECT_FALSE(holds_signals_back());
  }
}

// Two pulls of one file that overlap, as those of a timer do over a slow line: who read the filter
// first does not put it over what the other has brought since.
TEST_F(PulledFiles, DoesNotGoBackWhereAnotherPullWroteTheFileMeanwhile) {
  const auto place =
      open_place("bitmap:" + location_, {.access = PlaceOptions::read_write, .keys_as_said = true});
  const std::string file = (folder_.path() / "pulled.bloom").string();
  const auto has = [&](const std::string& key) {
    return open_place(file)->presence_of(key) == Presence::maybe;
  };
  for (const bool in_place : {false, true}) {
    for (const bool was_there : {false, true}) {
      const std::string new_key = "key " + std::to_string(in_place) + std::to_string(was_there);
      if (!was_there) std::filesystem::remove(file);
      const PullArguments second{.from = parse_place_location("bitmap:" + location_),
                                 .to = parse_place_location(file),
                                 .in_place = in_place};
      bool has_come = false;
      const auto pull_in_between = [&](std::string& bytes, std::mt19937&) {
        const bool has_bits = bytes.size() > 1000;
        if (!has_bits || std::exchange(has_come, true)) return true;
        place->insert_many(std::vector<Key>{Key(new_key)});
        PulledFile(second).read_whole({});
        EXPECT_TRUE(has(new_key));
        return true;
      };
      const testing::Proxy slow(server_->socket(), pull_in_between);
      PullArguments first = second;
      first.from =
          parse_place_location("bitmap:redis://127.0.0.1:" + std::to_string(slow.port()) + "#f");
      PulledFile pulled(first);
      EXPECT_THROW(pulled.read_whole({}), ChangedError);
      EXPECT_TRUE(has_come);
      EXPECT_TRUE(has(new_key));
      pulled.read_whole({});
      EXPECT_TRUE(has(new_key));
    }
  }
}

}  // namespace
}  // namespace bloomery::cli
