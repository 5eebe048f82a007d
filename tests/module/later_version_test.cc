// SPDX-License-Identifier: Apache-2.0
// Values of a later version of the module: a server refuses each, and its log says which version it
// is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/module/payload.h"
#include "tests/module/server_client.h"
#include "tests/support/read_file.h"

namespace bloomery {
namespace {

using ::testing::HasSubstr;
using testing::ModuleServer;
using testing::ModuleTest;

// The payload's type stands behind two bytes: nine letters of six bits, ten bits of version.
std::string of_next_version(std::string payload) {
  ++payload.at(9);
  return testing::with_checksum(payload);
}

class LaterVersion : public ModuleTest {};

TEST_F(LaterVersion, IsRefusedByNumber) {
  const std::string path = folder();
  ModuleServer server(path);
  server.ask("BLOOM.RESERVE filter 0.01 100");
  server.ask("BLOOM.LOAD filter BEGIN");
  server.ask("BLOOM.LOAD only BEGIN");
  server.ask("BF.ADD only item");
  server.ask("BF.INSERT bf CAPACITY 1000 ITEMS a");
  server.ask("CF.ADD cf a");
  for (const std::string name : {"bf", "cf"}) {
    const std::string family = name == "bf" ? "BF" : "CF";
    const std::string header = server.call({family + ".SCANDUMP", name, "0"}).items[1].text;
    EXPECT_EQ(server.call({family + ".LOADCHUNK", "half_" + name, "1", header}).shown(), "+OK");
  }
  const struct {
    std::string key;
    std::string what;
  } cases[] = {
      {"filter", "a bloomery filter of version 2, and this module reads up to 1"},
      {"{filter}.loading", "a bloomery filter of version 3, and this module reads up to 2"},
      {"half_bf", "half a filter of version 2, and this module reads up to 1"},
      {"half_cf", "half a filter of version 3, and this module reads up to 2"},
      {"only", "half a filter of version 2, and this module reads up to 1"},
      {"bf", "version"},
      {"cf", "version"},
  };
  for (const auto& each : cases) {
    SCOPED_TRACE(each.key);
    const std::string payload = server.call({"DUMP", each.key}).text;
    ASSERT_GT(payload.size(), 20U);
    const std::size_t before = testing::read_file(path + "/redis.log").size();
    EXPECT_EQ(server.call({"RESTORE", "later", "0", of_next_version(payload)}).line,
              "-ERR Bad data format");
    EXPECT_EQ(server.ask("EXISTS later"), ":0");
    EXPECT_THAT(testing::read_file(path + "/redis.log").substr(before), HasSubstr(each.what));
  }
}

}  // namespace
}  // namespace bloomery
