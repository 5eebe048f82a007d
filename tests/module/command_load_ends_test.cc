// SPDX-License-Identifier: Apache-2.0
// What bloomery load leaves in a server whose filter of BF.* it does not finish: nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "bloomery/errors.h"
#include "bloomery/redis/places/item_load.h"
#include "tests/cli/shell.h"
#include "tests/module/server_client.h"
#include "tests/module/server_state.h"

namespace bloomery {
namespace {

using ::testing::HasSubstr;
using testing::ModuleServer;
using testing::ModuleTest;
using testing::Outcome;
using testing::Shell;

class CommandLoadEnds : public ModuleTest {};

TEST_F(CommandLoadEnds, BySignalsWithNothingBesideTheFilter) {
  ModuleServer server(folder());
  const Shell shell;
  for (const std::string& signal : {std::string("INT"), std::string("TERM")}) {
    const Outcome outcome = shell.run(
        "rm -f pipe; mkfifo pipe\n"
        "env --default-signal=INT bloomery load - -n 1000000 'bf:redis+unix://" +
        server.socket() +
        "#f' <pipe >report 2>&1 &\n"
        "exec 3>pipe\n"
        "seq 20000 >&3\n" +
        testing::until_keys(server, 1) + "redis-cli -s " + server.socket() +
        " DBSIZE\n"
        "kill -" +
        signal + " $!\nwait $!\necho $?\n");
    EXPECT_EQ(outcome.out, signal == "INT" ? "1\n130\n" : "1\n143\n") << outcome.err;
    EXPECT_EQ(server.ask("DBSIZE"), ":0") << signal;
  }
}

// Two commands would leave a filter that stays for ever, wherever the second is not done.
TEST_F(CommandLoadEnds, NeverWithAKeyThatStays) {
  ModuleServer server(folder());
  setenv("BLOOMERY_TEST_LOADER", "any", 1);
  server.ask("ACL SETUSER loader on >any ~* +@all -pexpire -del");
  const auto location = redis::parse_location("redis+unix://" + server.socket() +
                                              "?user=loader&password_env=BLOOMERY_TEST_LOADER#f");
  EXPECT_THROW(redis::ItemLoad(location, 100, 0.01, false), StoreError);
  EXPECT_EQ(server.ask("DBSIZE"), ":0");
}

TEST_F(CommandLoadEnds, BeforeAKeyIsSentThatAClusterCannotExchange) {
  const std::string port = testing::free_port();
  ModuleServer server(
      folder(), {},
      {"--port", port, "--cluster-enabled", "yes", "--cluster-port", testing::free_port()});
  ASSERT_EQ(server.ask("CLUSTER ADDSLOTSRANGE 0 16383"), "+OK");
  ASSERT_TRUE(testing::comes_true([&] {
    return server.call({"CLUSTER", "INFO"}).text.find("cluster_state:ok") != std::string::npos;
  }));
  const Shell shell;
  shell.write("keys", "a\nb\n");
  for (const std::string& at :
       {"redis+unix://" + server.socket(), "redis+cluster://127.0.0.1:" + port}) {
    SCOPED_TRACE(at);
    for (const std::string& key : {std::string("a{}b"), std::string("a{b"), std::string("a}b")}) {
      const Outcome refused = shell.run("bloomery load keys 'bf:" + at + "#" + key + "'");
      EXPECT_EQ(refused.status, 2) << key;
      EXPECT_THAT(refused.err, HasSubstr("another slot")) << key;
      EXPECT_THAT(refused.err, HasSubstr("#" + key)) << key;
    }
    EXPECT_EQ(server.ask("DBSIZE"), ":0");
    EXPECT_EQ(server.call({"INFO", "commandstats"}).text.find("cmdstat_BF."), std::string::npos);
  }
  for (const std::string& key : {std::string("plain"), std::string("a{tag}b")}) {
    const Outcome loaded =
        shell.run("bloomery load keys 'bf:redis+cluster://127.0.0.1:" + port + "#" + key + "'");
    EXPECT_EQ(loaded.status, 0) << loaded.err;
  }
}

}  // namespace
}  // namespace bloomery
