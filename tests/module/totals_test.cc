// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "tests/module/server_client.h"
#include "tests/module/server_state.h"

namespace bloomery {
namespace {

using testing::ModuleServer;
using testing::ModuleTest;

class TotalsTest : public ModuleTest {
 protected:
  // The number of a line of INFO; -1 where there is none.
  static long long total(ModuleServer& server, const std::string& name) {
    const std::string text = server.call({"INFO", "bf"}).text;
    const std::string line = "\r\nbf_" + name + ":";
    const auto at = text.find(line);
    return at == std::string::npos ? -1 : std::stoll(text.substr(at + line.size()));
  }
};

TEST_F(TotalsTest, AreThoseOfAllFiltersThatThereAre) {
  ModuleServer server(folder());
  EXPECT_EQ(total(server, "bloom_num_objects"), 0);
  EXPECT_EQ(total(server, "bloom_total_memory_bytes"), 0);
  EXPECT_EQ(total(server, "cuckoo_num_objects"), 0);

  server.ask("BF.RESERVE chain 0.01 100");
  for (int i = 0; i < 150; ++i) server.ask("BF.ADD chain item-" + std::to_string(i));
  server.ask("BLOOM.RESERVE counted 0.01 1000 COUNTING");
  server.ask("BLOOM.MADD counted a b c");
  server.ask("BLOOM.DEL counted a");
  server.ask("CF.ADD cuckoo a");
  const long long chain = std::stoll(server.ask("BF.CARD chain").substr(1));
  EXPECT_EQ(total(server, "bloom_num_objects"), 2);
  EXPECT_EQ(total(server, "bloom_num_filters_across_objects"), 3);
  EXPECT_EQ(total(server, "bloom_num_items_across_objects"), chain + 2);
  EXPECT_EQ(total(server, "bloom_capacity_across_objects"), 300 + 1000);
  EXPECT_GT(total(server, "bloom_total_memory_bytes"), 300);
  EXPECT_EQ(total(server, "cuckoo_num_objects"), 1);
  EXPECT_EQ(total(server, "cuckoo_num_items_across_objects"), 1);

  // Totals count filters that came out of a file, and no filters that are gone. Servers may free
  // values in a thread of their own.
  const auto becomes = [&](const std::string& name, long long value) {
    return testing::comes_true([&] { return total(server, name) == value; });
  };
  server.ask("DEBUG RELOAD");
  EXPECT_TRUE(becomes("bloom_num_objects", 2));
  EXPECT_TRUE(becomes("bloom_num_items_across_objects", chain + 2));
  server.ask("COPY chain copy");
  EXPECT_TRUE(becomes("bloom_num_objects", 3));
  server.ask("FLUSHALL SYNC");
  for (const char* name :
       {"bloom_num_objects", "bloom_num_filters_across_objects", "bloom_num_items_across_objects",
        "bloom_capacity_across_objects", "bloom_total_memory_bytes", "cuckoo_num_objects",
        "cuckoo_num_items_across_objects", "cuckoo_total_memory_bytes"}) {
    EXPECT_TRUE(becomes(name, 0)) << name << " " << total(server, name);
  }
}

class TermsTest : public ModuleTest {};

TEST_F(TermsTest, MakeAFilterOnceAndForAWhile) {
  ModuleServer server(folder(), {}, {"--appendonly", "yes"});
  EXPECT_EQ(server.ask("BF.RESERVE f 0.01 100 NX EX 1000"), "+OK");
  EXPECT_EQ(server.ask("TTL f"), ":1000");
  EXPECT_EQ(server.ask("BF.RESERVE f 0.5 7 EXPANSION 4 NONSCALING"),
            "-Nonscaling filters cannot expand");
  EXPECT_EQ(server.ask("BF.RESERVE f 0.5 7 EX 5"), "-ERR item exists");
  EXPECT_EQ(server.ask("BF.RESERVE f 0.5 7 EX 5 NX"), "$-1");
  EXPECT_EQ(server.ask("BF.INFO f CAPACITY"), "*1 :100");
  EXPECT_EQ(server.ask("BF.INSERT f EX 5 ITEMS a"), "*1 :1");
  EXPECT_EQ(server.ask("BF.INSERT f NX EX 5 ITEMS b"), "$-1");
  EXPECT_EQ(server.ask("BF.MEXISTS f a b"), "*2 :1 :0");
  EXPECT_EQ(server.ask("TTL f"), ":1000");

  EXPECT_EQ(server.ask("BF.INSERT g NX EX 2000 CAPACITY 50 ITEMS a b"), "*2 :1 :1");
  EXPECT_EQ(server.ask("TTL g"), ":2000");
  EXPECT_EQ(server.ask("BF.INSERT h ITEMS a"), "*1 :1");
  EXPECT_EQ(server.ask("TTL h"), ":-1");
  server.ask("SET text a");
  EXPECT_EQ(server.ask("BF.INSERT text NX ITEMS a").substr(0, 10), "-WRONGTYPE");

  // The file has the moment, as replicas do.
  server.ask("DEBUG LOADAOF");
  const auto left = [&](const std::string& key) {
    return std::stoll(server.ask("TTL " + key).substr(1));
  };
  EXPECT_GT(left("f"), 900);
  EXPECT_LE(left("f"), 1000);
  EXPECT_GT(left("g"), 1900);
  EXPECT_EQ(left("h"), -1);
  EXPECT_EQ(server.ask("BF.MEXISTS g a b c"), "*3 :1 :1 :0");
}

}  // namespace
}  // namespace bloomery
