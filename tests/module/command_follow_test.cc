// SPDX-License-Identifier: Apache-2.0
// bloomery follow into a filter that the module asks itself.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/cli/shell.h"
#include "tests/module/server_client.h"

namespace bloomery {
namespace {

using ::testing::HasSubstr;
using testing::ModuleServer;
using testing::ModuleTest;
using ::testing::Not;
using testing::Outcome;
using testing::Shell;

class CommandFollow : public ModuleTest {
 protected:
  void SetUp() override {
    ModuleTest::SetUp();
    shell_.run("sqlite3 shop.db 'CREATE TABLE users(id TEXT PRIMARY KEY)'");
  }
  Outcome follow(const ModuleServer& server, const std::string& id,
                 const std::string& options = "") {
    return shell_.run("sqlite3 shop.db \"INSERT INTO users VALUES ('" + id +
                      "')\"\nbloomery follow 'sqlite:shop.db?table=users&column=id' "
                      "'bloom:redis+unix://" +
                      server.socket() + "#users' --once " + options);
  }

  Shell shell_;
};

TEST_F(CommandFollow, KeepsAWatermarkThereAndGoesOnFromIt) {
  ModuleServer server(folder());
  const Outcome made = follow(server, "alice");
  EXPECT_EQ(made.status, 0) << made.err;
  EXPECT_THAT(made.err, Not(HasSubstr("no fence")));
  EXPECT_THAT(server.ask("BLOOM.INFO users"), HasSubstr("+Kind $7 blocked"));
  EXPECT_THAT(server.ask("BLOOM.INFO users WATERMARK"), Not(HasSubstr("$-1")));
  const Outcome gone_on = follow(server, "bob");
  EXPECT_EQ(gone_on.status, 0) << gone_on.err;
  EXPECT_THAT(gone_on.err, HasSubstr("0 scans"));
  EXPECT_EQ(server.ask("BLOOM.CHECK users alice bob carol"), "*3 :1 :1 :0");
}

TEST_F(CommandFollow, LeavesAFilterOfRedisBloomAlone) {
  ModuleServer server(folder());
  server.ask("BF.ADD users somebody");
  const Outcome outcome = follow(server, "alice");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("left alone"));
  EXPECT_EQ(server.ask("BF.EXISTS users somebody"), ":1");
}

}  // namespace
}  // namespace bloomery
