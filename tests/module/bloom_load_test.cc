// SPDX-License-Identifier: Apache-2.0
// Filters that were built elsewhere, on their way into a server.
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "bloomery/filter/filter_kinds.h"
#include "bloomery/format/native/write_native.h"
#include "tests/module/payload.h"
#include "tests/module/server_client.h"

namespace bloomery {
namespace {

using testing::ModuleServer;
using testing::ModuleTest;
using testing::with_checksum;

std::string native_bytes(FilterKind kind = FilterKind::blocked, std::uint64_t capacity = 200'000) {
  AnyFilter filter = make_filter(kind, {.capacity = capacity, .false_positive_rate = 0.01});
  for (int i = 0; i < 1000; ++i) filter.insert("key " + std::to_string(i));
  const FilterContents contents = filter.contents();
  std::string all;
  write_native(NativeHead(contents, {.epoch = 3}), contents, [&](auto piece) {
    all.append(reinterpret_cast<const char*>(piece.data()), piece.size());
  });
  return all;
}

class BloomLoad : public ModuleTest {
 protected:
  static void begin(ModuleServer& server, const std::string& key, std::size_t size) {
    EXPECT_EQ(server.call({"BLOOM.LOAD", key, "BEGIN", std::to_string(size)}).shown(), "+OK");
  }
  // The next pieces, up to byte `end`.
  static void send(ModuleServer& server, const std::string& key, const std::string& bytes,
                   std::size_t from, std::size_t end) {
    constexpr std::size_t kPiece = 50'000;
    for (std::size_t at = from; at < end; at += kPiece) {
      const std::size_t count = std::min(kPiece, end - at);
      EXPECT_EQ(server.call({"BLOOM.LOAD", key, "AT", std::to_string(at), bytes.substr(at, count)})
                    .shown(),
                ":" + std::to_string(at + count));
    }
  }
};

TEST_F(BloomLoad, ServesTheOldFilterUntilTheNewIsWhole) {
  ModuleServer server(folder());
  const std::string bytes = native_bytes();
  server.ask("BF.ADD key old");
  begin(server, "key", bytes.size());
  send(server, "key", bytes, 0, bytes.size() - 5);
  EXPECT_EQ(server.ask("BLOOM.CHECK key old"), "*1 :1");
  EXPECT_EQ(server.ask("BLOOM.LOAD key COMMIT").substr(0, 22), "-ERR 5 bytes are missi");
  EXPECT_EQ(server.ask("BLOOM.LOAD key AT 7 x").substr(0, 21), "-ERR the next byte is");
  send(server, "key", bytes, bytes.size() - 5, bytes.size());
  EXPECT_EQ(server.ask("BLOOM.LOAD key COMMIT"), "+OK");
  EXPECT_EQ(server.call({"BLOOM.CHECK", "key", "key 0", "key 999", "old"}).shown(), "*3 :1 :1 :0");
  EXPECT_NE(server.ask("BLOOM.INFO key").find("+Epoch :3"), std::string::npos);
  EXPECT_EQ(server.ask("KEYS *"), "*1 $3 key");
  EXPECT_EQ(server.ask("BLOOM.LOAD key COMMIT").substr(0, 17), "-ERR no load of t");
}

TEST_F(BloomLoad, IsNotReadyBeforeItsFirstFilter) {
  ModuleServer server(folder());
  const std::string bytes = native_bytes();
  begin(server, "key", bytes.size());
  EXPECT_EQ(server.ask("BLOOM.CHECK key a"), "-NOTREADY the filter is still being loaded");
  EXPECT_EQ(server.ask("BF.EXISTS key a"), ":0");
  EXPECT_NE(server.ask("TTL {key}.loading"), ":-1");
  EXPECT_EQ(server.ask("BLOOM.LOAD key ABORT"), "+OK");
  EXPECT_EQ(server.ask("BLOOM.CHECK key a"), "$-1");
  EXPECT_EQ(server.ask("DBSIZE"), ":0");
}

TEST_F(BloomLoad, GoesOnAfterReloadsRestartsAndRenames) {
  const std::string bytes = native_bytes();
  const std::size_t half = bytes.size() / 2;
  const std::vector<std::string> options{"--appendonly", "yes", "--aof-use-rdb-preamble", "no"};
  {
    ModuleServer server(folder(), {}, options);
    begin(server, "key", bytes.size());
    send(server, "key", bytes, 0, 300);
    EXPECT_EQ(server.ask("DEBUG RELOAD"), "+OK");
    send(server, "key", bytes, 300, half);
    EXPECT_EQ(server.ask("DEBUG RELOAD"), "+OK");
  }
  ModuleServer server(folder(), {}, options);
  server.ask("BGREWRITEAOF");
  usleep(500'000);
  EXPECT_EQ(server.ask("DEBUG LOADAOF"), "+OK");
  send(server, "key", bytes, half, bytes.size());
  EXPECT_EQ(server.ask("BLOOM.LOAD key COMMIT"), "+OK");
  EXPECT_EQ(server.call({"BLOOM.CHECK", "key", "key 5", "none"}).shown(), "*2 :1 :0");
}

TEST_F(BloomLoad, RewrittenFilesKeepFiltersAndLoadsApart) {
  ModuleServer server(folder(), {}, {"--appendonly", "yes", "--aof-use-rdb-preamble", "no"});
  const std::string bytes = native_bytes();
  std::vector<std::string> names{"{none}.loading", "a", "b", "{taken}.loading", "taken"};
  begin(server, "none", 5000);
  for (const char* key : {"a", "b"}) {
    begin(server, "key", bytes.size());
    send(server, "key", bytes, 0, 5000);
    server.call({"RENAME", "{key}.loading", key});
  }
  server.ask("BLOOM.RESERVE taken 0.01 100");
  server.ask("BLOOM.ADD taken x");
  server.ask("CF.ADD {taken}.loading x");
  // Whichever of them comes first into the file.
  for (int i = 0; i < 8; ++i) {
    const std::string key = "key" + std::to_string(i);
    server.ask("BLOOM.RESERVE " + key + " 0.01 100");
    begin(server, key, bytes.size());
    send(server, key, bytes, 0, 5000);
    names.push_back(key);
    names.push_back("{" + key + "}.loading");
  }
  server.ask("BLOOM.LOAD late BEGIN 5000");
  server.ask("SET late text");
  server.ask("PERSIST {late}.loading");
  const auto state = [&] {
    std::vector<std::string> all;
    for (const auto& each : names) {
      all.push_back(server.ask("TYPE " + each) + server.ask("DEBUG DIGEST-VALUE " + each));
    }
    all.push_back(server.ask("DBSIZE") + server.ask("TTL {late}.loading"));
    return all;
  };
  const auto before = state();
  EXPECT_NE(server.ask("DEBUG DIGEST-VALUE {key0}.loading"),
            server.ask("DEBUG DIGEST-VALUE {none}.loading"));
  server.ask("BGREWRITEAOF");
  usleep(500'000);
  EXPECT_EQ(server.ask("DEBUG LOADAOF"), "+OK");
  EXPECT_EQ(state(), before);
  send(server, "key7", bytes, 5000, bytes.size());
  EXPECT_EQ(server.ask("BLOOM.LOAD key7 COMMIT"), "+OK");
}

TEST_F(BloomLoad, APutIsCheckedAsOtherLoadsAre) {
  ModuleServer server(folder());
  const std::string bytes = native_bytes();
  const std::string size = std::to_string(bytes.size());
  server.ask("SET text a");
  EXPECT_EQ(server.call({"BLOOM.LOAD", "text", "PUT", "x", size, "0", ""}).shown(),
            "-ERR item exists");
  EXPECT_EQ(server.call({"BLOOM.LOAD", "f", "PUT", "x", size, "5", "a"}).shown(), "-ERR not found");
  EXPECT_EQ(server.ask("BLOOM.LOAD f TURN"), "-ERR not found");
  server.call({"BLOOM.LOAD", "f", "PUT", "x", size, "0", bytes.substr(0, 9)});
  EXPECT_EQ(server.call({"BLOOM.LOAD", "f", "PUT", "y", size, "9", bytes.substr(9)}).shown(),
            "-ERR another load is there");
  EXPECT_EQ(server.call({"BLOOM.LOAD", "f", "PUT", "x", size, "8", "a"}).shown(),
            "-ERR the next byte is 9");
  EXPECT_EQ(server.ask("BLOOM.LOAD f TURN").find(" bytes are missing; the next is 9"), 11U);
  EXPECT_EQ(server.call({"BLOOM.LOAD", "f", "PUT", "x", size, "9", bytes.substr(9)}).shown(),
            "+OK");
  EXPECT_EQ(server.ask("BLOOM.LOAD f TURN"), "+OK");
  EXPECT_EQ(server.call({"BLOOM.CHECK", "f", "key 1", "none"}).shown(), "*2 :1 :0");
  server.call({"BLOOM.LOAD", "bad", "PUT", "x", size, "0", bytes.substr(0, 9)});
  EXPECT_EQ(
      server.call({"BLOOM.LOAD", "bad", "PUT", "x", size, "9", std::string(bytes.size() - 9, 'x')})
          .shown()[0],
      '-');
  EXPECT_EQ(server.ask("EXISTS bad"), ":0");
}

TEST_F(BloomLoad, RefusesDamageAndForgetsIt) {
  ModuleServer server(folder());
  const std::string bytes = native_bytes();
  std::string damaged = bytes;
  damaged[bytes.size() / 2] = static_cast<char>(damaged[bytes.size() / 2] ^ 1);
  begin(server, "key", bytes.size());
  send(server, "key", damaged, 0, bytes.size());
  EXPECT_EQ(server.ask("BLOOM.LOAD key COMMIT").find("-ERR damaged: checksum of body block"), 0U);
  EXPECT_EQ(server.ask("DBSIZE"), ":0");
  EXPECT_EQ(server.ask("BLOOM.LOAD key BEGIN 5").substr(0, 13), "-ERR no filte");
  EXPECT_EQ(server.ask("BLOOM.LOAD key BEGIN 99999999999999999").substr(0, 17),
            "-ERR Insufficient");
  EXPECT_EQ(
      server.call({"BLOOM.LOAD", "key", "PUT", "key", "1152921504606846977", "0", ""}).shown(),
      "-ERR no filter is 1,152,921,504,606,846,977 bytes");
  EXPECT_EQ(server.ask("BLOOM.LOAD key BEGIN -1").substr(0, 15), "-ERR the length");
  EXPECT_EQ(server.ask("BLOOM.LOAD key FOO").substr(0, 15), "-ERR BLOOM.LOAD");
  EXPECT_EQ(server.ask("BLOOM.LOAD key AT 0"),
            "-ERR wrong number of arguments for 'bloom.load' command");
  server.ask("SET text a");
  EXPECT_EQ(server.ask("BLOOM.LOAD text BEGIN 100000").substr(0, 10), "-WRONGTYPE");
  // A load of more keys than a filter may have here.
  begin(server, "key", native_bytes(FilterKind::blocked, 3'000'000).size());
  server.ask("DEL {key}.loading");
  EXPECT_EQ(server.ask("DBSIZE"), ":1");
}

TEST_F(BloomLoad, TakesNoFilterThatIsLargerThanAllowed) {
  ModuleServer server(folder(), {"bf-max-capacity", "1000"});
  const std::string bytes = native_bytes();
  begin(server, "key", bytes.size());
  EXPECT_EQ(server.call({"BLOOM.LOAD", "key", "AT", "0", bytes}).shown(),
            "-ERR a filter for more keys than bf-max-capacity, 1000");
  EXPECT_EQ(server.ask("DBSIZE"), ":0");
}

TEST_F(BloomLoad, RestoreTakesNothingThatIsNoFilter) {
  ModuleServer server(folder());
  server.ask("BLOOM.RESERVE f 0.01 100");
  server.ask("BLOOM.MADD f a b c");
  begin(server, "half", 100'000);
  server.call({"BLOOM.LOAD", "half", "AT", "0", native_bytes().substr(0, 5000)});
  for (const char* key : {"f", "{half}.loading"}) {
    const std::string good = server.call({"DUMP", key}).text;
    ASSERT_GT(good.size(), 100U);
    std::mt19937 random(7);
    int refused = 0;
    for (int i = 0; i < 1500; ++i) {
      std::string bad = good;
      const std::size_t at = i < 150 ? static_cast<std::size_t>(i) : random() % (good.size() - 10);
      bad[at] = static_cast<char>(bad[at] ^ (1 << random() % 8));
      if (i % 7 == 0) bad.erase(at, random() % (bad.size() - 10 - at));
      const std::string reply =
          server.call({"RESTORE", "bad", "0", with_checksum(bad), "REPLACE"}).shown();
      if (reply != "+OK") {
        ++refused;
        continue;
      }
      server.ask("BF.ADD bad x");
      EXPECT_NE(server.ask("BLOOM.CHECK bad x"), "*1 :0");
      EXPECT_FALSE(server.call({"DUMP", "bad"}).text.empty());
    }
    EXPECT_GT(refused, 100) << key;
  }
}

}  // namespace
}  // namespace bloomery
