// SPDX-License-Identifier: Apache-2.0
// bloomery rdb, over dumps that a server with the module really wrote.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/cli/shell.h"
#include "tests/module/server_client.h"

namespace bloomery {
namespace {

using ::testing::HasSubstr;
using testing::ModuleServer;
using testing::ModuleTest;
using testing::Outcome;
using testing::Shell;

class CommandRdb : public ModuleTest {
 protected:
  static constexpr int kItems = 300;

  // The module as it is, and a second one under a prefix.
  std::vector<std::string> options() const {
    const std::string other = folder("other") + "/other.so";
    std::filesystem::copy_file(BLOOMERY_MODULE_FILE, other,
                               std::filesystem::copy_options::overwrite_existing);
    return {"--loadmodule", other, "prefix", "my"};
  }
  static void fill(ModuleServer& server, const std::string& command, const std::string& key) {
    std::vector<std::string> words{command, key};
    if (command.ends_with("CF.INSERT")) words.emplace_back("ITEMS");
    for (int i = 0; i < kItems; ++i) words.push_back("item" + std::to_string(i));
    EXPECT_EQ(server.call(words).line, "*" + std::to_string(kItems)) << command;
  }
  // Asks for the items and for as many that were never added, and returns those that are there, a
  // line each.
  static std::string found(ModuleServer& server, const std::string& command,
                           const std::string& key) {
    std::vector<std::string> words{command, key};
    for (int i = 0; i < 2 * kItems; ++i) words.push_back("item" + std::to_string(i));
    const testing::Reply reply = server.call(words);
    std::string all;
    for (std::size_t i = 0; i < reply.items.size(); ++i) {
      if (reply.items[i].line == ":1") all += words[i + 2] + "\n";
    }
    return all;
  }
  // The dump, in the shell's folder.
  void save(ModuleServer& server) const {
    EXPECT_EQ(server.ask("SAVE"), "+OK");
    std::filesystem::copy_file(folder() + "/dump.rdb", shell_.path("dump.rdb"));
  }

  Shell shell_;
};

TEST_F(CommandRdb, TakesOutEveryFilterThatTheModuleHolds) {
  ModuleServer server(folder(), {}, options());
  const std::pair<std::string, std::string> made[] = {
      {"grows", "BLOOM.RESERVE grows 0.01 20"},
      {"fixed", "BLOOM.RESERVE fixed 0.01 500 EXPANSION 0"},
      {"large", "BLOOM.RESERVE large 0.01 5000000"},
      {"counting", "BLOOM.RESERVE counting 0.01 500 COUNTING"},
      {"window", "BLOOM.RESERVE window 0.01 500 WINDOW 100000"},
      {"secret", "BLOOM.RESERVE secret 0.01 500 SECRET"},
      {"theirs", "BF.RESERVE theirs 0.01 50"},
      {"my-own", "MY.BLOOM.RESERVE my-own 0.01 500"},
      {"my-chain", "MY.BF.RESERVE my-chain 0.01 50"},
  };
  for (const auto& [key, command] : made) {
    const std::string prefix = command.starts_with("MY.") ? "MY." : "";
    EXPECT_EQ(server.ask(command), "+OK");
    fill(server, prefix + "BLOOM.MADD", key);
  }
  save(server);
  const auto listed = shell_.run("bloomery rdb list dump.rdb --json").json();
  EXPECT_EQ(listed.at("filter_count"), std::size(made));
  EXPECT_EQ(listed.at("other_count"), 0);
  for (const auto& each : listed.at("module_keys")) EXPECT_GT(each.at("inserted"), 0) << each;
  for (const auto& [key, command] : made) {
    const std::string prefix = command.starts_with("MY.") ? "MY." : "";
    const Outcome taken = shell_.run("bloomery rdb extract dump.rdb " + key + " " + key);
    ASSERT_EQ(taken.status, 0) << taken.err;
    const Outcome there = shell_.run("seq -f item%g 0 599 | bloomery check " + key);
    EXPECT_EQ(there.out, found(server, prefix + "BLOOM.CHECK", key)) << key;
  }
}

TEST_F(CommandRdb, RefusesByNameWhatIsNoWholeFilter) {
  ModuleServer server(folder(), {}, options());
  for (const std::string prefix : {"", "MY."}) {
    const std::string mark = prefix.empty() ? "" : "my-";
    EXPECT_EQ(server.ask(prefix + "BLOOM.LOAD " + mark + "up BEGIN 1000000"), "+OK");
    for (const std::string family : {"BF", "CF"}) {
      const std::string whole = prefix + "whole" + family;
      fill(server, prefix + (family == "BF" ? "BF.MADD" : "CF.INSERT"), whole);
      const testing::Reply header = server.call({prefix + family + ".SCANDUMP", whole, "0"});
      EXPECT_EQ(server
                    .call({prefix + family + ".LOADCHUNK", mark + "half" + family, "1",
                           header.items[1].text})
                    .shown(),
                "+OK");
      server.call({"DEL", whole});
    }
  }
  save(server);
  const Outcome list = shell_.run("bloomery rdb list dump.rdb");
  EXPECT_EQ(list.status, 1) << "no filter can be taken";
  EXPECT_EQ(list.err, "") << "all are types of this module";
  const Outcome all = shell_.run("bloomery rdb extract dump.rdb --all all");
  EXPECT_EQ(all.status, 2) << "half a filter is a filter that was not taken out";
  const std::pair<const char*, const char*> keys[] = {
      {"'{up}.loading'", "bloomeryU, a filter on its way by BLOOM.LOAD"},
      {"halfBF", "bloomeryH, a Bloom filter on its way by BF.LOADCHUNK"},
      {"halfCF", "bloomeryK, a cuckoo filter on its way by CF.LOADCHUNK"},
      {"'{my-up}.loading'", "bloomeryu, "},
      {"my-halfBF", "bloomeryh, "},
      {"my-halfCF", "bloomeryk, "},
  };
  for (const auto& [key, type] : keys) {
    EXPECT_THAT(list.out, HasSubstr(std::string(type).substr(0, 9)));
    EXPECT_THAT(all.err, HasSubstr(type));
    for (const char* const out : {"out", "redisbloom-dump:out"}) {
      const Outcome taken =
          shell_.run(std::string("bloomery rdb extract dump.rdb ") + key + " " + out);
      EXPECT_EQ(taken.status, 2) << key;
      EXPECT_THAT(taken.err, HasSubstr(type));
      EXPECT_FALSE(shell_.has("out"));
    }
  }
}

TEST_F(CommandRdb, TakesCuckooFiltersAsAServerRestoresThem) {
  ModuleServer server(folder(), {}, options());
  server.ask("CF.RESERVE cuckoo 64 EXPANSION 2");
  fill(server, "CF.INSERT", "cuckoo");
  server.ask("CF.DEL cuckoo item7");
  fill(server, "MY.CF.INSERT", "my-cuckoo");
  save(server);
  const Outcome refused = shell_.run("bloomery rdb extract dump.rdb cuckoo out");
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.err, HasSubstr("redisbloom-dump:FILE"));
  EXPECT_FALSE(shell_.has("out"));
  for (const std::string key : {"cuckoo", "my-cuckoo"}) {
    const Outcome taken =
        shell_.run("bloomery rdb extract dump.rdb " + key + " redisbloom-dump:" + key);
    ASSERT_EQ(taken.status, 0) << taken.err;
    EXPECT_EQ(server.call({"RESTORE", "again-" + key, "0", shell_.read(key)}).shown(), "+OK");
    const std::string prefix = key == "cuckoo" ? "" : "MY.";
    EXPECT_EQ(found(server, "CF.MEXISTS", "again-" + key),
              found(server, prefix + "CF.MEXISTS", key));
  }
  EXPECT_EQ(server.ask("CF.INFO again-cuckoo"), server.ask("CF.INFO cuckoo"));
  EXPECT_EQ(shell_.run("bloomery rdb extract dump.rdb cuckoo redisbloom-dump:cuckoo").status, 2);
}

}  // namespace
}  // namespace bloomery
