// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/rdb_dump.h"
#include "tests/cli/shell.h"

namespace bloomery {
namespace {

using ::testing::HasSubstr;
using testing::Outcome;
using testing::sample_dump;
using testing::Shell;

TEST(Rdb, ListsWhatModulesStored) {
  const Shell shell;
  shell.write("dump.rdb", sample_dump());
  const Outcome outcome = shell.run("bloomery rdb list dump.rdb --json");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const auto json = outcome.json();
  EXPECT_EQ(json.at("dump_version"), 11);
  EXPECT_EQ(json.at("checksum"), true);
  EXPECT_EQ(json.at("key_count"), 4);
  EXPECT_EQ(json.at("filter_count"), 3);
  const auto& keys = json.at("module_keys");
  ASSERT_EQ(keys.size(), 3U);
  EXPECT_EQ(keys[0].at("key"), "users");
  EXPECT_EQ(keys[0].at("database"), 0);
  EXPECT_EQ(keys[0].at("type"), "MBbloom--");
  EXPECT_EQ(keys[0].at("inserted"), 200);
  EXPECT_EQ(keys[0].at("capacity"), 300);
  EXPECT_EQ(keys[0].at("link_count"), 2);
  EXPECT_EQ(keys[0].at("can_extract"), true);
  EXPECT_EQ(keys[2].at("type"), "MBbloomCF");
  EXPECT_EQ(keys[2].at("holds"), "cuckoo filter of RedisBloom's");
  EXPECT_EQ(keys[2].at("can_extract"), true) << "for RESTORE";
  EXPECT_EQ(keys[2].at("inserted"), 5);
  EXPECT_EQ(keys[2].at("link_count"), 1);

  const Outcome text = shell.run("bloomery rdb list dump.rdb");
  EXPECT_EQ(text.status, 0);
  EXPECT_THAT(text.out, HasSubstr("0   \"users\"   MBbloom--"));
  EXPECT_THAT(text.out, HasSubstr("checksum      verified"));
}

TEST(Rdb, ExtractsAFilterIntoAnyFormatThatHoldsIt) {
  const Shell shell;
  shell.write("dump.rdb", sample_dump());
  ASSERT_EQ(shell.run("bloomery rdb extract dump.rdb users users.bloom --db 0").status, 0);
  const Outcome found =
      shell.run("seq 0 199 | sed s/^/item:/ | bloomery check users.bloom | wc -l");
  EXPECT_EQ(found.out, "200\n");
  ASSERT_EQ(shell
                .run("bloomery rdb extract dump.rdb 7573657273 redisbloom:a --db 0 --as hex &&"
                     "bloomery convert users.bloom redisbloom:b && cmp a b")
                .status,
            0);
  // Converting into DUMP's bytes and back gives the same file.
  EXPECT_EQ(shell
                .run("bloomery convert redisbloom:a redisbloom-dump:c &&"
                     "bloomery convert redisbloom-dump:c redisbloom:d && cmp a d")
                .status,
            0);
  const Outcome other = shell.run("bloomery rdb extract dump.rdb users guava:no.bin --db 0");
  EXPECT_EQ(other.status, 2);
  EXPECT_THAT(other.err, HasSubstr("bits cannot be converted"));
  EXPECT_FALSE(shell.has("no.bin"));
}

// The filters are of every database, under names that are safe whatever the keys are.
TEST(Rdb, ExtractsAllFiltersIntoAFolder) {
  const Shell shell;
  const std::string sample = sample_dump();
  const std::size_t first = sample.find("\7\5users");
  const std::size_t second = sample.find("\7\5users", first + 1);
  const std::string body = sample.substr(first + 7, sample.find("\xfe\5", first) - first - 7 - 5);
  std::string dump = sample.substr(0, sample.size() - 9);
  for (const std::string& key :
       {std::string("../up"), std::string(".hidden"), std::string("a/b\n\0\xff", 6), std::string(),
        std::string(300, 'x'), std::string(300, 'x') + "y"}) {
    dump += '\7' + testing::plain_string(key) + body;
  }
  ASSERT_NE(second, std::string::npos);
  shell.write("dump.rdb", testing::with_crc(dump + '\xff'));
  const Outcome outcome = shell.run("bloomery rdb extract dump.rdb --all out/ --json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const auto json = outcome.json();
  EXPECT_EQ(json.at("extracted_count"), 9);
  EXPECT_EQ(json.at("extracted")[0].at("key"), "users");
  EXPECT_EQ(json.at("extracted")[0].at("file"), "out/0-users.bloom");
  EXPECT_EQ(json.at("extracted")[0].at("inserted"), 200);
  EXPECT_EQ(shell.run("ls -A out | cut -c 1-20").out,
            "0-users.bloom\n5-%.bloom\n5-%2E.%2Fup.bloom\n5-%2Ehidden.bloom\n"
            "5-a%2Fb%0A%00%FF.blo\n5-cuckoo.dump\n5-users.bloom\n5-xxxxxxxxxxxxxxxxxx\n"
            "5-xxxxxxxxxxxxxxxxxx\n");
  EXPECT_EQ(shell.run("ls -A").out, "dump.rdb\nout\n");
  EXPECT_EQ(
      shell.run("for f in out/*.bloom; do seq 0 199 | sed s/^/item:/ | bloomery check -c $f; done")
          .out,
      "200\n200\n200\n200\n200\n200\n200\n200\n");
  EXPECT_EQ(
      shell.run("bloomery rdb extract dump.rdb cuckoo redisbloom-dump:c && cmp c out/5-c*").status,
      0);

  // A file that is there is not replaced unasked, and then nothing is written.
  const Outcome again = shell.run("rm out/0-users.bloom; bloomery rdb extract dump.rdb --all out");
  EXPECT_EQ(again.status, 2);
  EXPECT_THAT(again.err, HasSubstr("already exists, and nothing was written"));
  EXPECT_FALSE(shell.has("out/0-users.bloom"));
  EXPECT_EQ(shell.run("bloomery rdb extract dump.rdb --all out --replace").status, 0);
  const Outcome one = shell.run("bloomery rdb extract dump.rdb --all one --db 0 && ls one");
  EXPECT_THAT(one.out, HasSubstr("\nusers.bloom\n"));
}

TEST(Rdb, ExtractsAllThatItCan) {
  const Shell shell;
  std::string dump = sample_dump();
  const std::size_t links = dump.find("\2\2\2\5\2\2");  // as below
  ASSERT_NE(links, std::string::npos);
  dump[links + 1] = 1;
  dump.resize(dump.size() - 8);
  shell.write("dump.rdb", dump + std::string(8, '\0'));
  const Outcome outcome = shell.run("bloomery rdb extract dump.rdb --all out --json");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("the key \"users\": "));
  EXPECT_EQ(outcome.json().at("failed_count"), 1);
  EXPECT_EQ(shell.run("ls -A out").out, "5-cuckoo.dump\n5-users.bloom\n");
  for (const char* line : {"bloomery rdb extract dump.rdb", "bloomery rdb extract dump.rdb users",
                           "bloomery rdb extract dump.rdb users o --all out2",
                           "bloomery rdb extract dump.rdb --all dump.rdb"}) {
    EXPECT_EQ(shell.run(line).status, 2) << line;
  }
  EXPECT_EQ(shell.run("ls -A").out, "dump.rdb\nout\n");
}

TEST(Rdb, FiltersOfManyLinksGoThroughAFileOfOurOwn) {
  const Shell shell;
  const Outcome outcome = shell.run(
      "bloomery create 'redisbloom:a?expansion=1' -n 1 -p 0.5 && seq 150 >keys.txt &&"
      "bloomery insert redisbloom:a keys.txt && bloomery convert redisbloom:a a.bloom &&"
      "bloomery convert a.bloom redisbloom:b && cmp a b");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_GT(shell.run("bloomery info redisbloom:a --json").json().at("layer_count"), 64);
}

TEST(Rdb, SaysWhyItCannot) {
  const Shell shell;
  const std::string dump = sample_dump();
  shell.write("dump.rdb", dump);
  shell.write("cut.rdb", dump.substr(0, dump.size() / 2));
  shell.write("empty.rdb", "");
  shell.write("none.rdb", "REDIS0004\xff");
  const std::pair<std::string, const char*> faults[] = {
      {"bloomery rdb extract dump.rdb users o", "in databases 0 and 5"},
      {"bloomery rdb extract dump.rdb nobody o", "no module has a key \"nobody\""},
      {"bloomery rdb extract dump.rdb users o --db 3", "in database 3"},
      {"bloomery rdb extract dump.rdb cuckoo o", "of type MBbloomCF"},
      {"bloomery rdb list cut.rdb", "cut.rdb: not a dump of Redis or Valkey: "},
      {"bloomery rdb list empty.rdb", "magic at byte 0"},
      {"bloomery rdb list missing.rdb", "missing.rdb: cannot open"},
      {"bloomery rdb list .", "is a directory"},
      {"bloomery rdb", "which command"},
  };
  for (const auto& [line, expected] : faults) {
    const Outcome outcome = shell.run(line);
    EXPECT_EQ(outcome.status, 2) << line;
    EXPECT_THAT(outcome.err, HasSubstr(expected)) << line;
    EXPECT_FALSE(shell.has("o"));
  }
  EXPECT_EQ(shell.run("bloomery rdb list none.rdb").status, 1);
}

// A server without such a key's module does not start with the dump.
TEST(Rdb, NamesTheKeysOfOtherModulesAndGoesOnWithTheRest) {
  const Shell shell;
  const std::pair<std::string, const char*> types[] = {
      {"CMSk-TYPE", "count-min sketch of RedisBloom's"},
      {"TopK-TYPE", "top-k of RedisBloom's"},
      {"TDIS-TYPE", "t-digest of RedisBloom's"},
      {"bloomfltr", "Bloom filter of valkey-bloom's"},
      {"ft_index0", "value of another module's"},
  };
  std::string bytes = "REDIS0011";
  for (const auto& [type, text] : types) {
    bytes += '\7' + testing::plain_string("key of " + type);
    testing::append_length(bytes, testing::type_id(type, 3));
    testing::append_number(bytes, 77);
    bytes += '\0';
  }
  const std::string sample = sample_dump();
  shell.write("dump.rdb", testing::with_crc(bytes + sample.substr(9, sample.size() - 17)));
  const Outcome list = shell.run("bloomery rdb list dump.rdb");
  EXPECT_EQ(list.status, 0);
  EXPECT_THAT(list.err, HasSubstr("dump.rdb: 5 keys are of another module's type"));
  EXPECT_THAT(list.out, HasSubstr("\"users\""));
  const auto json = shell.run("bloomery rdb list dump.rdb --json").json();
  EXPECT_EQ(json.at("other_count"), 5);
  EXPECT_EQ(json.at("filter_count"), 3);
  for (const auto& [type, text] : types) {
    EXPECT_THAT(list.out, HasSubstr(text));
    const Outcome taken = shell.run("bloomery rdb extract dump.rdb 'key of " + type + "' o");
    EXPECT_EQ(taken.status, 2);
    EXPECT_THAT(taken.err, HasSubstr("of type " + type + ", a " + text));
    EXPECT_FALSE(shell.has("o"));
  }
}

// A fault within one filter does not hide the other filters.
TEST(Rdb, ListsADamagedFilterAsSuch) {
  const Shell shell;
  std::string dump = sample_dump();
  const std::size_t links = dump.find("\2\2\2\5\2\2");  // two links, options 5, growth 2
  ASSERT_NE(links, std::string::npos);
  dump[links + 1] = 1;
  dump.resize(dump.size() - 8);
  shell.write("dump.rdb", dump + std::string(8, '\0'));
  const Outcome outcome = shell.run("bloomery rdb list dump.rdb --json");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("not a RedisBloom filter"));
  const auto keys = outcome.json().at("module_keys");
  EXPECT_TRUE(keys[0].contains("damage"));
  EXPECT_EQ(keys[1].at("inserted"), 200);
}

}  // namespace
}  // namespace bloomery
