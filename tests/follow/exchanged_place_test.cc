// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <random>
#include <string>

#include "bloomery/follow/followed_place.h"
#include "bloomery/open/open_place.h"
#include "tests/follow/follower_fixture.h"
#include "tests/store/scratch_folder.h"
#include "tests/support/proxy.h"
#include "tests/support/redis_server.h"

// A place whose filter somebody else exchanges while it is opened.

namespace bloomery {
namespace {

using testing::RedisServer;

class ExchangedPlace : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (!RedisServer::is_installed()) GTEST_SKIP() << "no redis-server here";
    server_ = std::make_unique<RedisServer>(folder_.path().string());
  }
  // Behind ADDRESS.
  static std::unique_ptr<FollowedPlace> place_at(const std::string& address) {
    std::string location = GetParam();
    location.replace(location.find("ADDRESS"), std::string("ADDRESS").size(), address);
    const PlaceLocation at = parse_place_location(location);
    return std::make_unique<FollowedPlace>(at, [at](const FilterOptions& options) {
      return at.is_own_bitmap() ? blocked(options)
                                : at.format->create(options, {{"bits", "400000"}});
    });
  }
  Identity make_filter_and_keep_it(const std::string& key) {
    const auto place = place_at("redis+unix://" + server_->socket());
    place->begin_rebuild({.capacity = 1000}, {})->commit_at({.source = {1, 2}, .position = 3}, {});
    server_->ask("COPY users " + key);
    return place->head().identity;
  }

  testing::ScratchFolder folder_;
  std::unique_ptr<RedisServer> server_;
};

TEST_P(ExchangedPlace, IsOpenedAgainWhateverItIsAskedMeanwhile) {
  const Identity first = make_filter_and_keep_it("first");
  const Identity second = make_filter_and_keep_it("second");
  ASSERT_NE(first, second);
  std::atomic<int> questions = 0;
  for (int exchanged_at = 1; questions >= exchanged_at - 1; ++exchanged_at) {
    SCOPED_TRACE(exchanged_at);
    server_->ask("COPY first users REPLACE");
    questions = 0;
    const testing::Proxy proxy(
        server_->socket(), [](std::string&, std::mt19937&) { return true; },
        [&] {
          if (++questions == exchanged_at) server_->ask("COPY second users REPLACE");
        });
    const auto place = place_at("redis://127.0.0.1:" + std::to_string(proxy.port()));
    const PlaceHead head = place->head();
    EXPECT_EQ(head.identity, questions >= exchanged_at ? second : first);
  }
}

INSTANTIATE_TEST_SUITE_P(Locations, ExchangedPlace,
                         ::testing::Values("bitmap:ADDRESS#users",
                                           "gozero:ADDRESS?bits=400000&trailer=1#users"));

}  // namespace
}  // namespace bloomery
