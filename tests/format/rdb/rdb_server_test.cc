// SPDX-License-Identifier: Apache-2.0
// Dumps that a server really wrote, of all that it can hold.
#include <gtest/gtest.h>

#include <string>

#include "bloomery/errors.h"
#include "bloomery/format/rdb/rdb_file.h"
#include "tests/format/foreign_vectors.h"
#include "tests/format/redisbloom/redisbloom_bytes.h"
#include "tests/source/temporary_folder.h"
#include "tests/support/keys.h"
#include "tests/support/read_file.h"
#include "tests/support/redis_server.h"

namespace bloomery::rdb {
namespace {

using golden::bytes_of;
using testing::RedisBloomModel;
using testing::RedisServer;

// Fills databases 0 and 5: small and large values of each type, so that each has all its forms.
constexpr const char* kFill = R"lua('
  local long = string.rep("long ", 40)
  local big = string.rep("0123456789abcdef", 1000)
  for _, n in ipairs({3, 2000}) do
    for i = 1, n do
      redis.call("RPUSH", "list " .. n, "element " .. i)
      redis.call("SADD", "numbers " .. n, i)
      redis.call("SADD", "set " .. n, "member " .. i)
      redis.call("ZADD", "sorted " .. n, i / 3, "member " .. i)
      redis.call("HSET", "hash " .. n, "field " .. i, "value " .. i)
      redis.call("XADD", "stream " .. n, "*", "field", "value " .. i)
    end
  end
  redis.call("RPUSH", "large elements", big, big, "x")
  redis.call("ZADD", "infinities", "inf", "a", "-inf", "b")
  redis.call("HSET", "long hash", "f", long)
  redis.call("SET", "packed", big)
  redis.call("SET", "empty", "")
  for _, number in ipairs({0, -1, 127, -129, 40000, -40000, 3000000000, "1.5"}) do
    redis.call("SET", "number " .. number, number)
    redis.call("SET", number, long)
  end
  redis.call("SETBIT", "bits", 100000, 1)
  redis.call("PFADD", "sketch", "a", "b")
  redis.call("GEOADD", "places", 13.361389, 38.115556, "Palermo")
  redis.call("SET", "soon gone", "x", "EX", 100000)
  redis.call("XADD", "stream 3", "*", "a", "1", "b", "2")
  redis.call("XGROUP", "CREATE", "stream 3", "group", "0")
  redis.call("XGROUP", "CREATE", "stream 2000", "idle", "$")
  redis.call("XREADGROUP", "GROUP", "group", "reader", "COUNT", "2", "STREAMS", "stream 3", ">")
  redis.call("XREADGROUP", "GROUP", "group", "other", "COUNT", "1", "STREAMS", "stream 3", ">")
  local first = redis.call("XRANGE", "stream 2000", "-", "+", "COUNT", "1")[1][1]
  redis.call("XDEL", "stream 2000", first)
  redis.call("SELECT", 5)
  redis.call("SET", "elsewhere", "x")
  return "filled"
' 0)lua";

constexpr const char* kFunction = R"sh(FUNCTION LOAD "#!lua name=lib
redis.register_function('f', function() return 1 end)")sh";

class RdbServer : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!RedisServer::is_installed()) GTEST_SKIP() << "no redis-server: apt-get install it";
  }

  // The dump of a filled server, and how many keys it says it has.
  std::string dump(const std::vector<std::string>& options, std::uint64_t& keys) {
    const TemporaryFolder folder;
    const RedisServer server(folder.path(""), options);
    EXPECT_EQ(server.ask(std::string("EVAL ") + kFill), "filled\n");
    EXPECT_EQ(server.ask(kFunction), "lib\n");
    keys = std::stoull(server.ask("DBSIZE")) + std::stoull(server.ask("-n 5 DBSIZE"));
    EXPECT_EQ(server.ask("SAVE"), "OK\n");
    return bloomery::testing::read_file(folder.path("dump.rdb"));
  }
};

// With and without packing, checksums and the notes of what was used when.
TEST_F(RdbServer, DumpsAreWalkedToTheirEnd) {
  const std::vector<std::string> variants[] = {
      {},
      {"--rdbcompression", "no", "--rdbchecksum", "no"},
      {"--maxmemory", "1gb", "--maxmemory-policy", "allkeys-lfu"},
      {"--maxmemory", "1gb", "--maxmemory-policy", "allkeys-lru"},
  };
  for (const auto& options : variants) {
    std::uint64_t keys = 0;
    const std::string bytes = dump(options, keys);
    ASSERT_GT(keys, 30U);
    const RdbFile file = read_rdb(bytes_of(bytes));
    EXPECT_EQ(file.key_count, keys);
    EXPECT_TRUE(file.modules.empty());
    EXPECT_EQ(file.has_checksum, options.empty() || options[0] != "--rdbcompression");
    for (std::size_t cut = 1; cut < bytes.size(); cut += 997) {
      EXPECT_THROW(read_rdb(bytes_of(bytes).first(cut)), FormatError) << cut;
    }
  }
}

// The dump looks as if the server had the module, too.
TEST_F(RdbServer, DumpsGiveTheFiltersAmongTheirKeys) {
  RedisBloomModel model({});
  for (const std::string& key : testing::texts(500, "item:")) model.add(key);
  std::uint64_t keys = 0;
  std::string bytes = dump({}, keys);
  bytes.resize(bytes.size() - 9);
  bytes += '\7' + testing::plain_string("users") +
           testing::module_value_of(model, {}, 4, testing::packed_string) + '\xff';
  bytes = testing::with_crc(bytes);
  const RdbFile file = read_rdb(bytes_of(bytes));
  EXPECT_EQ(file.key_count, keys + 1);
  ASSERT_EQ(file.modules.size(), 1U);
  EXPECT_EQ(file.modules[0].key, "users");
  EXPECT_EQ(file.modules[0].database, 5U);
  const AnyFilter filter = extract(bytes_of(bytes), file.modules[0]);
  for (const std::string& key : testing::texts(2'000, "item:")) {
    ASSERT_EQ(filter.may_contain(key), model.exists(key)) << key;
  }
}

}  // namespace
}  // namespace bloomery::rdb
