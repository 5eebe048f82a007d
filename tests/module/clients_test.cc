// SPDX-License-Identifier: Apache-2.0
// Clients as people use them, with their own methods for filters.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <filesystem>
#include <string>

#include "tests/module/server_client.h"
#include "tests/module/server_state.h"

namespace bloomery {
namespace {

using testing::ModuleServer;
using testing::ModuleTest;

constexpr int kNoClient = 77;  // exit status of a script

struct Ran {
  int status = 0;
  std::string output{};
};
Ran run(const std::string& command) {
  Ran ran;
  FILE* const pipe = popen(("{ " + command + "; } 2>&1").c_str(), "r");
  char piece[4096];
  while (const std::size_t count = fread(piece, 1, sizeof piece, pipe)) {
    ran.output.append(piece, count);
  }
  const int status = pclose(pipe);
  ran.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return ran;
}

class Clients : public ModuleTest {};

TEST_F(Clients, RedisPyWorks) {
  const std::string port = testing::free_port();
  const ModuleServer server(folder(), {}, {"--port", port});
  // Debian's package is Debian's python's, which need not be the first.
  Ran ran{.status = kNoClient, .output = "no python3"};
  for (const char* const python : {"/usr/bin/python3", "python3"}) {
    ran = run(std::string(python) + " module/clients/redis_py.py " + port);
    if (ran.status == 0) return;
    if (ran.status != kNoClient && ran.status != 127) break;
  }
  if (ran.status == kNoClient || ran.status == 127) GTEST_SKIP() << "python3-redis: " << ran.output;
  FAIL() << ran.output;
}

// npm fetches what package.json names, in a place that stays; without npm or a network it is left
// out.
TEST_F(Clients, NodeRedisWorks) {
  const std::string installed = BLOOMERY_NODE_FOLDER;
  if (!std::filesystem::exists(installed + "/node_modules/@redis/bloom")) {
    std::filesystem::create_directories(installed);
    const Ran npm = run("cp module/clients/package.json '" + installed + "' && cd '" + installed +
                        "' && timeout 60 npm install --silent --no-audit --no-fund");
    if (npm.status != 0) GTEST_SKIP() << "npm installs no node-redis: " << npm.output;
  }
  const std::string port = testing::free_port();
  const ModuleServer server(folder(), {}, {"--port", port});
  const Ran ran = run("node module/clients/node_redis.mjs " + port + " '" + installed + "'");
  if (ran.status == kNoClient) GTEST_SKIP() << ran.output;
  EXPECT_EQ(ran.status, 0) << ran.output;
}

}  // namespace
}  // namespace bloomery
