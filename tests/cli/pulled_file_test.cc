// SPDX-License-Identifier: Apache-2.0
#include "cli/pulled_file.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <string>

#include "bloomery/filter/filter_kinds.h"
#include "bloomery/open/place_location.h"
#include "bloomery/redis/client/location.h"
#include "bloomery/redis/places/native_load.h"
#include "bloomery/store/native_file.h"
#include "tests/store/scratch_folder.h"
#include "tests/support/redis_server.h"

namespace bloomery::cli {
namespace {

bool holds_signals_back() {
  sigset_t blocked;
  sigemptyset(&blocked);
  pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
  return sigismember(&blocked, SIGINT) == 1 && sigismember(&blocked, SIGTERM) == 1;
}

// One that came while the file was made live would leave a file that nobody can ask.
TEST(PulledFile, HoldsSignalsBackFromTheFirstWriteInPlaceUntilTheFileIsWhole) {
  if (!testing::RedisServer::is_installed()) GTEST_SKIP() << "no redis-server here";
  const testing::ScratchFolder folder;
  const testing::RedisServer server(folder.path().string());
  const std::string location = "redis+unix://" + server.socket() + "#f";
  redis::Client client(redis::parse_location(location));
  redis::load_native(client, make_filter(FilterKind::blocked, {.capacity = 1000}).contents(), {});
  for (const bool in_place : {false, true}) {
    const PullArguments arguments{
        .from = parse_place_location("bitmap:" + location),
        .to = parse_place_location((folder.path() / "pulled.bloom").string()),
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

}  // namespace
}  // namespace bloomery::cli
