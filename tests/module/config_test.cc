// SPDX-License-Identifier: Apache-2.0
// CONFIG, on servers that let a module have parameters. Before Redis 8.0 their names begin with the
// module's.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "tests/module/server_client.h"

namespace bloomery {
namespace {

using testing::Client;
using testing::ModuleServer;
using testing::ModuleTest;
using testing::RedisServer;
using testing::Reply;

class Config : public ModuleTest {
 protected:
  void SetUp() override {
    ModuleTest::SetUp();
    if (IsSkipped()) return;
    static const std::string name = name_of_rate();  // as one server has it, all have it
    if (name.empty()) GTEST_SKIP() << "the server has no parameters for modules";
    prefix_ = name.substr(0, name.find("bf-error-rate"));
  }
  std::string name_of_rate() const {
    ModuleServer server(folder("first"));
    const Reply found = server.call({"CONFIG", "GET", "*bf-error-rate"});
    return found.items.empty() ? "" : found.items[0].text;
  }
  std::string get(Client& client, const std::string& name) const {
    return client.call({"CONFIG", "GET", prefix_ + name}).items.at(1).text;
  }
  std::string set(Client& client, const std::string& name, const std::string& value) const {
    return client.call({"CONFIG", "SET", prefix_ + name, value}).shown();
  }

  std::string prefix_;
};

TEST_F(Config, HasWhatTheModuleWasLoadedWith) {
  ModuleServer server(folder(), {"bf-error-rate", "0.5", "CF_MAX_EXPANSIONS", "3"});
  const std::pair<const char*, const char*> expected[]{
      {"bf-error-rate", "0.25"},      {"bf-initial-size", "100"},
      {"bf-expansion-factor", "2"},   {"bf-max-capacity", "1073741824"},
      {"bf-delta-bytes", "16777216"}, {"bf-read-clients", "8"},
      {"cf-bucket-size", "2"},        {"cf-initial-size", "1024"},
      {"cf-max-iterations", "20"},    {"cf-expansion-factor", "1"},
      {"cf-max-expansions", "3"},
  };
  for (const auto& [name, value] : expected) EXPECT_EQ(get(server.client, name), value) << name;
}

TEST_F(Config, IsForTheNextFilters) {
  ModuleServer server(folder());
  server.ask("BF.ADD before a");
  EXPECT_EQ(
      server
          .call({"CONFIG", "SET", prefix_ + "bf-error-rate", "2e-2", prefix_ + "bf-initial-size",
                 "200", prefix_ + "bf-expansion-factor", "3", prefix_ + "bf-max-capacity", "5000"})
          .shown(),
      "+OK");
  EXPECT_EQ(get(server.client, "bf-error-rate"), "2e-2");
  server.ask("BF.ADD after a");
  server.ask("BF.RESERVE same 0.02 200 EXPANSION 3");
  server.ask("BF.ADD same a");
  EXPECT_EQ(server.ask("BF.DEBUG after"), server.ask("BF.DEBUG same"));
  EXPECT_EQ(server.ask("BF.INFO after expansion"), "*1 :3");
  EXPECT_EQ(server.ask("BF.INFO before capacity"), "*1 :100");
  EXPECT_EQ(server.ask("BF.RESERVE large 0.01 5001"),
            "-ERR capacity must be in the range [1, 5000]");
}

TEST_F(Config, IsRefusedInTheWordsOfRedisBloom) {
  ModuleServer server(folder());
  const auto why = [&](const std::string& name, const std::string& value) {
    const std::string refusal = set(server.client, name, value);
    return refusal.substr(refusal.find(" - ") + 3);
  };
  for (const char* rate : {"0", "1", "-0.5", "inf"}) {
    EXPECT_EQ(why("bf-error-rate", rate),
              "Value for `bf-error-rate` must be in the range (0.000000, 1.000000)");
  }
  for (const char* rate : {"", "often", "nan", "0.1 "}) {
    EXPECT_EQ(why("bf-error-rate", rate), "Invalid value for `bf-error-rate`");
  }
  for (const char* size : {"0", "-1", "4294967296"}) {
    EXPECT_EQ(why("bf-initial-size", size),
              "Value for `bf-initial-size` must be in the range [1, 1073741824]");
  }
  EXPECT_EQ(why("bf-initial-size", "1e3"), "Invalid value for `bf-initial-size`");
  EXPECT_EQ(why("bf-expansion-factor", "32769"),
            "Value for `bf-expansion-factor` must be in the range [0, 32768]");
  EXPECT_EQ(why("cf-bucket-size", "256"),
            "Value for `cf-bucket-size` must be in the range [1, 255]");
  EXPECT_EQ(why("cf-initial-size", "3"),
            "Value for `cf-initial-size` must be in the range [4, 1073741824]");
  EXPECT_EQ(why("cf-max-iterations", "65536"),
            "Value for `cf-max-iterations` must be in the range [1, 65535]");
  EXPECT_EQ(why("cf-max-expansions", "65537"),
            "Value for `cf-max-expansions` must be in the range [1, 65536]");
  EXPECT_EQ(get(server.client, "bf-error-rate"), "0.01");
  EXPECT_EQ(get(server.client, "bf-initial-size"), "100");
}

TEST_F(Config, KeepsRoomForTwoBuckets) {
  ModuleServer server(folder());
  EXPECT_EQ(set(server.client, "cf-initial-size", "10"), "+OK");
  EXPECT_NE(set(server.client, "cf-bucket-size", "6").find("[1, 5]"), std::string::npos);
  EXPECT_EQ(set(server.client, "cf-bucket-size", "5"), "+OK");
  EXPECT_NE(set(server.client, "cf-initial-size", "9").find("[10, 1073741824]"), std::string::npos);
  // The order of several settings at once does not matter: all are set, or none.
  const auto both = [&](const std::string& words) {
    std::vector<std::string> all{"CONFIG", "SET"};
    std::istringstream read(words);
    for (std::string word; read >> word;) all.push_back(word[0] >= 'a' ? prefix_ + word : word);
    return server.call(all).shown();
  };
  EXPECT_EQ(both("cf-bucket-size 200 cf-initial-size 4096"), "+OK");
  EXPECT_EQ(both("cf-initial-size 20 cf-bucket-size 10"), "+OK");
  EXPECT_EQ(both("cf-bucket-size 2 cf-initial-size 4 bf-error-rate 7")[0], '-');
  EXPECT_EQ(both("cf-bucket-size 200 cf-initial-size 300")[0], '-');
  EXPECT_EQ(get(server.client, "cf-bucket-size"), "10");
  EXPECT_EQ(get(server.client, "cf-initial-size"), "20");
  EXPECT_EQ(server.ask("CF.RESERVE cf 20"), "+OK");
}

TEST_F(Config, IsThatOfTheFileBeforeThatOfTheModulesArguments) {
  const std::string where = folder();
  const std::string file = where + "/redis.conf";
  std::ofstream(file) << "loadmodule " << BLOOMERY_MODULE_FILE
                      << " bf-error-rate 0.02 bf-initial-size 400 cf-initial-size 10\n"
                      << prefix_ << "bf-initial-size 300\n";
  {
    const RedisServer server(where, {}, BLOOMERY_SANITIZER_RUNTIME);
    Client client(server.socket());
    EXPECT_EQ(get(client, "bf-error-rate"), "0.02");
    EXPECT_EQ(get(client, "bf-initial-size"), "300");
    EXPECT_EQ(set(client, "bf-error-rate", "0.9"), "+OK");
    EXPECT_EQ(set(client, "cf-initial-size", "4000"), "+OK");
    EXPECT_EQ(set(client, "cf-bucket-size", "200"), "+OK");
    EXPECT_EQ(client.ask("CONFIG REWRITE"), "+OK");
  }
  const RedisServer again(where, {}, BLOOMERY_SANITIZER_RUNTIME);
  Client client(again.socket());
  EXPECT_EQ(get(client, "bf-error-rate"), "0.25");
  EXPECT_EQ(get(client, "bf-initial-size"), "300");
  EXPECT_EQ(get(client, "cf-initial-size"), "4000");
  EXPECT_EQ(get(client, "cf-bucket-size"), "200");
}

TEST_F(Config, ThatIsNotAllowedKeepsTheServerFromStarting) {
  const std::string where = folder();
  std::ofstream(where + "/redis.conf") << "loadmodule " << BLOOMERY_MODULE_FILE << "\n"
                                       << prefix_ << "bf-initial-size 0\n";
  const RedisServer server(where, {}, BLOOMERY_SANITIZER_RUNTIME);
  EXPECT_THROW(Client(server.socket()), std::runtime_error);
  std::ifstream log(where + "/redis.log");
  const std::string lines{std::istreambuf_iterator<char>(log), {}};
  EXPECT_NE(lines.find("Value for `bf-initial-size` must be in the range"), std::string::npos);
}

}  // namespace
}  // namespace bloomery
