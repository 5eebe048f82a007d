// SPDX-License-Identifier: Apache-2.0
// examples/revoked_tokens.cc against a server: it checks itself.
#include <gtest/gtest.h>

#include "tests/cli/shell.h"
#include "tests/module/server_client.h"

namespace bloomery {
namespace {

using testing::ModuleServer;
using testing::ModuleTest;
using testing::Outcome;
using testing::Shell;

class ExampleRevokedTokens : public ModuleTest {};

TEST_F(ExampleRevokedTokens, LetsNoRevokedTokenInWithAndWithoutTheFilter) {
  ModuleServer server(folder());
  server.ask("BLOOM.RESERVE revoked 0.001 100000");
  const Outcome outcome = Shell().run("'" BLOOMERY_EXAMPLE_REVOKED_TOKENS "' 'bloom:redis+unix://" +
                                      server.socket() + "#revoked'");
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  EXPECT_EQ(server.ask("EXISTS revoked"), ":0");
}

}  // namespace
}  // namespace bloomery
