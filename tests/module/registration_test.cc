// SPDX-License-Identifier: Apache-2.0
// What the module registers with servers that are not at hand.
#include <gtest/gtest.h>

#include <new>
#include <string>

#include "tests/module/fake_server.h"

namespace bloomery {
namespace {

using testing::FakeServer;
using testing::ServerVersion;

constexpr unsigned kUnprefixed = 1 << 9;

TEST(Registration, NeedsNothingThatRedis62Lacks) {
  FakeServer server(ServerVersion::redis_6_2);
  ASSERT_TRUE(server.load({"bf-initial-size", "300"})) << server.log;
  EXPECT_EQ(server.module_name, "bf");
  EXPECT_TRUE(server.types.contains("MBbloom--"));
  EXPECT_TRUE(server.parameters.empty());
  EXPECT_TRUE(server.categories.empty());
  EXPECT_EQ(server.commands.at("bf.reserve").flags, "write deny-oom");
  EXPECT_EQ(server.commands.at("bf.exists").flags, "readonly fast");
  EXPECT_FALSE(server.commands.at("bf.exists").is_described);

  server.has_resp3 = true;  // its modules cannot answer in it
  EXPECT_EQ(server.call({"bf.exists", "k", "a"}), ":0");
  EXPECT_EQ(server.call({"bf.madd", "k", "a", "a"}), "*2 :1 :0");
  EXPECT_EQ(server.call({"bf.info", "k", "capacity"}), "*1 :300");
  EXPECT_EQ(server.call({"bf.info", "k"}),
            "*10 +Capacity :300 +Size :512 +Number of filters :1 +Number of items inserted :1 "
            "+Expansion rate :2");
}

TEST(Registration, AnswersInResp3WhereModulesCan) {
  FakeServer server(ServerVersion::redis_7_0);
  ASSERT_TRUE(server.load()) << server.log;
  EXPECT_TRUE(server.commands.at("bf.exists").is_described);
  server.has_resp3 = true;
  EXPECT_EQ(server.call({"bf.add", "k", "a"}), "#t");
  EXPECT_EQ(server.call({"bf.info", "k", "items"}), "%1 +Number of items inserted :1");
}

TEST(Registration, GivesCategoriesWhereThereAreSome) {
  {
    FakeServer server(ServerVersion::redis_7_2);
    ASSERT_TRUE(server.load()) << server.log;
    EXPECT_EQ(server.commands.at("bf.add").categories, "");
  }
  FakeServer server(ServerVersion::redis_7_4);
  ASSERT_TRUE(server.load()) << server.log;
  // RedisBloom's category has RedisBloom's commands, and no others.
  EXPECT_EQ(server.commands.at("bloom.add").categories, "write bloomery");
  EXPECT_TRUE(server.categories.contains("bloom"));
  EXPECT_TRUE(server.categories.contains("bloomery"));
  for (const auto& [name, categories] : {std::pair{"bf.reserve", "write fast bloom"},
                                         {"bf.add", "write bloom"},
                                         {"bf.madd", "write bloom"},
                                         {"bf.insert", "write bloom"},
                                         {"bf.loadchunk", "write bloom"},
                                         {"bf.exists", "read bloom"},
                                         {"bf.mexists", "read bloom"},
                                         {"bf.card", "read fast bloom"},
                                         {"bf.info", "read fast bloom"},
                                         {"bf.debug", "read bloom"},
                                         {"bf.scandump", "read bloom"}}) {
    EXPECT_EQ(server.commands.at(name).categories, categories) << name;
  }
}

TEST(Registration, SaysThatSlotsMayMoveWhereThatMeansSomething) {
  const auto options_on = [](int known) {
    FakeServer server(ServerVersion::redis_8_0);
    server.valkey_options = known;
    EXPECT_TRUE(server.load()) << server.log;
    return server.options;
  };
  const int redis = options_on(0);
  EXPECT_EQ(redis & module::kMovesSlots, 0);
  EXPECT_EQ(options_on(module::kMovesSlots - 1), redis) << "Valkey before 9";
  EXPECT_EQ(options_on(2 * module::kMovesSlots - 1), redis | module::kMovesSlots);
}

TEST(Registration, HasParametersWithRedisBloomsNamesOnRedis8) {
  FakeServer server(ServerVersion::redis_8_0);
  server.configured["bf-expansion-factor"] = "3";
  ASSERT_TRUE(server.load({"ERROR_RATE", "0.02"})) << server.log;
  EXPECT_EQ(server.parameters.size(), 11U);
  for (const auto& [name, parameter] : server.parameters) {
    EXPECT_EQ(parameter.flags, kUnprefixed) << name;
  }
  EXPECT_EQ(server.parameters.at("bf-error-rate").usual, "0.02");
  EXPECT_EQ(server.config_get("bf-error-rate"), "0.02");
  EXPECT_EQ(server.config_get("cf-initial-size"), "1024");
  EXPECT_EQ(server.config_set("bf-initial-size", "77"), "");
  EXPECT_EQ(server.config_set("bf-initial-size", "0"),
            "Value for `bf-initial-size` must be in the range [1, 1073741824]");
  EXPECT_EQ(server.config_get("bf-initial-size"), "77");
  server.call({"bf.add", "k", "a"});
  EXPECT_EQ(server.call({"bf.info", "k", "capacity"}), "*1 :77");
  EXPECT_EQ(server.call({"bf.info", "k", "expansion"}), "*1 :3");
}

TEST(Registration, LeavesTheModulesNameBeforeParametersElsewhere) {
  // Valkey has categories, but names without the module's only later, if ever.
  for (const ServerVersion version : {ServerVersion::redis_7_0, ServerVersion::redis_7_4}) {
    FakeServer server(version);
    ASSERT_TRUE(server.load()) << server.log;
    EXPECT_EQ(server.parameters.at("bf-error-rate").flags, 0U);
  }
}

TEST(Registration, TakesNoNameOfRedisBloomsUnderAPrefix) {
  FakeServer server(ServerVersion::redis_8_0);
  server.busy_name = "bf";
  server.categories = {"bloom", "cuckoo"};
  ASSERT_TRUE(server.load({"bf-initial-size", "9", "PREFIX", "My"})) << server.log;
  EXPECT_EQ(server.module_name, "my");
  for (const auto& [name, command] : server.commands) {
    EXPECT_EQ(name.substr(0, 3), "my.");
    EXPECT_NE(command.categories, "") << name;
  }
  for (const auto& [name, methods] : server.types) EXPECT_NE(name.substr(0, 7), "MBbloom");
  for (const auto& [name, parameter] : server.parameters) EXPECT_EQ(parameter.flags, 0U) << name;
  EXPECT_EQ(server.config_get("bf-initial-size"), "9");
}

TEST(Registration, RefusesWhatTheServerHasAlready) {
  {
    FakeServer server(ServerVersion::redis_8_0);
    server.busy_name = "bf";
    EXPECT_FALSE(server.load());
    EXPECT_NE(server.log.find("prefix"), std::string::npos) << server.log;
    EXPECT_TRUE(server.commands.empty());
  }
  {
    FakeServer server(ServerVersion::redis_8_0);
    server.commands["bf.exists"] = {};
    EXPECT_FALSE(server.load());
    EXPECT_NE(server.log.find("a command bf.exists already"), std::string::npos) << server.log;
  }
  {
    FakeServer server(ServerVersion::redis_8_0);
    server.parameters["bf-initial-size"] = {};
    EXPECT_FALSE(server.load());
    EXPECT_NE(server.log.find("parameter bf-initial-size"), std::string::npos) << server.log;
  }
}

TEST(Registration, RefusesAConfigurationThatIsNotAllowed) {
  FakeServer server(ServerVersion::redis_8_0);
  server.configured["bf-error-rate"] = "2";
  EXPECT_FALSE(server.load());
  EXPECT_NE(server.log.find("configuration"), std::string::npos) << server.log;
}

TEST(Registration, RefusesTheSameFileASecondTimeAndChangesNothing) {
  FakeServer server(ServerVersion::redis_8_0);
  ASSERT_TRUE(server.load({"bf-initial-size", "70"})) << server.log;
  const std::size_t commands = server.commands.size();
  const std::size_t types = server.types.size();
  // With names that would do, or none, and also where nothing would do.
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"prefix", "my", "bf-initial-size", "9"}, {}, {"prefix", "a.b"}}) {
    server.log.clear();
    EXPECT_FALSE(server.load(words));
    EXPECT_NE(server.log.find("loaded already, as `bf`"), std::string::npos) << server.log;
    EXPECT_EQ(server.module_name, "bf");
    EXPECT_EQ(server.commands.size(), commands);
    EXPECT_EQ(server.types.size(), types);
    EXPECT_EQ(server.config_get("bf-initial-size"), "70");
  }
  EXPECT_EQ(server.call({"bf.add", "k", "a"}), "#t");
  EXPECT_EQ(server.call({"bf.exists", "k", "a"}), "#t");
  EXPECT_EQ(server.call({"bf.info", "k", "capacity"}), "*1 :70");
  EXPECT_EQ(server.replicated.substr(0, 3), "BF.") << server.replicated;
}

TEST(Registration, AFailedLoadLeavesNothingToTheNext) {
  FakeServer server(ServerVersion::redis_8_0);
  std::set_new_handler(nullptr);
  EXPECT_FALSE(server.load({"prefix", "my", "bf-initial-size", "none"}));
  server.commands["bf.exists"] = {};
  EXPECT_FALSE(server.load({"bf-expansion-factor", "0"}));
  EXPECT_EQ(std::get_new_handler(), nullptr) << "the server drops this code";
  server.forget();  // as servers do when a load fails
  ASSERT_TRUE(server.load()) << server.log;
  EXPECT_EQ(server.module_name, "bf");
  EXPECT_EQ(server.call({"bf.add", "k", "a"}), "#t");
  EXPECT_EQ(server.call({"bf.info", "k", "expansion"}), "*1 :2");
}

TEST(Registration, RefusesServersThatAreTooOld) {
  FakeServer server(ServerVersion::redis_6_2);
  server.lacks = {"IsIOError"};
  EXPECT_FALSE(server.load());
  EXPECT_TRUE(server.commands.empty());
}

}  // namespace
}  // namespace bloomery
