// What bloomery load leaves in a server whose filter of BF.* it does not finish: nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

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
