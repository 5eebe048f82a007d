// SPDX-License-Identifier: Apache-2.0
#include "bloomery/redis/client/location.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "bloomery/errors.h"
#include "bloomery/text/percent.h"
#include "tests/store/scratch_folder.h"

namespace bloomery::redis {
namespace {

TEST(LocationOfServer, SaysServerDatabaseAndKey) {
  const Location plain = parse_location("redis://cache.example#users");
  EXPECT_EQ(plain.host, "cache.example");
  EXPECT_EQ(plain.port, 6379);
  EXPECT_EQ(plain.database, 0U);
  EXPECT_EQ(plain.key, "users");
  EXPECT_FALSE(plain.tls.on);
  EXPECT_FALSE(plain.allow_replica);
  const Location full = parse_location("redis://me:p%40ss@10.0.0.1:7000/3?bits=8#a%23b#c");
  EXPECT_EQ(full.user, "me");
  EXPECT_EQ(full.password, "p@ss");
  EXPECT_EQ(full.port, 7000);
  EXPECT_EQ(full.database, 3U);
  EXPECT_EQ(full.key, "a#b#c");
  EXPECT_EQ(full.settings.at("bits"), "8");
  EXPECT_EQ(full.text(), "redis://10.0.0.1:7000/3#a#b#c");
  for (const char* const key : {"a?", "?", "a?b", "a?=b", "a?B=c", "a?b%3Dc", "a%3Fb=c"}) {
    EXPECT_EQ(parse_location(std::string("redis://host#") + key).key, percent_decode(key));
  }
  const Location six = parse_location("redis://:x@[::1]:7000/#k");
  EXPECT_EQ(six.host, "::1");
  EXPECT_EQ(six.password, "x");
  EXPECT_EQ(six.server(), "redis://[::1]:7000");
  for (const char* scheme : {"redis+unix://", "unix://"}) {
    const Location socket = parse_location(scheme + std::string("/run/my%20@redis.sock?db=2#k"));
    EXPECT_EQ(socket.socket, "/run/my @redis.sock");
    EXPECT_EQ(socket.database, 2U);
    EXPECT_EQ(socket.text(), "redis+unix:///run/my @redis.sock?db=2#k");
  }
}

TEST(LocationOfServer, SaysForHowManyReplicasToWait) {
  EXPECT_EQ(parse_location("redis://host#k").replicas_to_await, 0U);
  const Location one = parse_location("redis://host?wait=1#k");
  EXPECT_EQ(one.replicas_to_await, 1U);
  EXPECT_EQ(one.replica_patience, std::chrono::milliseconds(1'000));
  const Location two = parse_location("redis+cluster://host?wait=2,250#k");
  EXPECT_EQ(two.replicas_to_await, 2U);
  EXPECT_EQ(two.replica_patience, std::chrono::milliseconds(250));
  const Location files = parse_location("redis://host?wait=1,aof#k");
  EXPECT_TRUE(files.awaits_files);
  EXPECT_EQ(files.replicas_to_await, 1U);
  EXPECT_EQ(files.replica_patience, std::chrono::milliseconds(3'000));
  const Location alone = parse_location("redis://host?wait=0,250,aof#k");
  EXPECT_TRUE(alone.awaits_files && alone.awaits_replicas());
  EXPECT_EQ(alone.replicas_to_await, 0U);
  EXPECT_EQ(alone.replica_patience, std::chrono::milliseconds(250));
  EXPECT_FALSE(one.awaits_files);
  for (const char* const wrong : {"0", "", "-1", "x", "101", "1,0", "1,x", "1,2,3", "1&wait=1",
                                  "aof", ",aof", "1,AOF", "1,aof,2", "1,aof&wait=0,aof"}) {
    EXPECT_THROW(parse_location("redis://host?wait=" + std::string(wrong) + "#k"),
                 std::invalid_argument)
        << wrong;
  }
}

// A key that was read in another way would be another filter's.
TEST(LocationOfServer, IsPrintedAsItIsRead) {
  const std::string every = [] {
    std::string bytes;
    for (int byte = 0; byte < 256; ++byte) bytes += static_cast<char>(byte);
    return bytes;
  }();
  for (const std::string& key : {every, std::string("a%41"), std::string("100%"),
                                 std::string("a?bits=8"), std::string("a b#c")}) {
    Location location = parse_location("redis://host#k");
    location.key = key;
    const std::string text = location.text();
    EXPECT_EQ(parse_location(text).key, key) << text;
    EXPECT_EQ(text.find('\0'), std::string::npos) << "what() would end there";
  }
}

TEST(LocationOfServer, NamesTheNodesOfAClusterOrSentinels) {
  const Location cluster = parse_location("rediss+cluster://me:pw@h1,[::1]:7000,h3:1?ca=c#key");
  EXPECT_EQ(cluster.way, Way::cluster);
  EXPECT_TRUE(cluster.tls.on);
  EXPECT_EQ(cluster.others.size(), 2U);
  EXPECT_EQ(cluster.text(), "rediss+cluster://h1:6379,[::1]:7000,h3:1#key");
  const Location node = cluster.of_server({"10.0.0.1", 7});
  EXPECT_EQ(node.text(), "rediss://10.0.0.1:7#key");
  EXPECT_EQ(node.user + node.password + node.tls.ca_file, "mepwc");
  EXPECT_FALSE(node.must_be_primary);

  const Location sentinels = parse_location(
      "redis+sentinel://:pw@h1,h2:7/my%20primary/3?sentinel_user=s&sentinel_password_env=V#key");
  EXPECT_EQ(sentinels.way, Way::sentinel);
  EXPECT_EQ(sentinels.primary, "my primary");
  EXPECT_EQ(sentinels.text(), "redis+sentinel://h1:26379,h2:7/my primary/3#key");
  const Location primary = sentinels.of_server({"10.0.0.1", 7});
  EXPECT_EQ(primary.text(), "redis://10.0.0.1:7/3#key");
  EXPECT_EQ(primary.password, "pw");
  EXPECT_TRUE(primary.must_be_primary);
  const Location sentinel = sentinels.of_sentinel({"h2", 7});
  EXPECT_EQ(sentinel.text(), "redis://h2:7#key");
  EXPECT_EQ(sentinel.user + sentinel.password + sentinel.password_variable, "sV");
  EXPECT_FALSE(sentinel.must_be_primary);
}

TEST(LocationOfServer, TakesWhatTheConnectionNeeds) {
  const Location tls = parse_location(
      "rediss://host?ca=/a%2fca.pem&cert=c&cert_key=k&server_name=s&user=u&password_env=V&"
      "timeout=250&connections=3&client_name=n&replica=1#key");
  EXPECT_TRUE(tls.tls.on);
  EXPECT_EQ(tls.tls.ca_file, "/a/ca.pem");
  EXPECT_EQ(tls.tls.certificate_file, "c");
  EXPECT_EQ(tls.tls.key_file, "k");
  EXPECT_EQ(tls.tls.server_name, "s");
  EXPECT_FALSE(tls.tls.insecure_skip_verify);
  EXPECT_EQ(tls.user, "u");
  EXPECT_EQ(tls.timeout, std::chrono::milliseconds(250));
  EXPECT_EQ(tls.connections, 3U);
  EXPECT_EQ(tls.client_name, "n");
  EXPECT_TRUE(tls.allow_replica);
  EXPECT_TRUE(tls.settings.empty());
  EXPECT_TRUE(parse_location("rediss://h?insecure_skip_verify=1#k").tls.insecure_skip_verify);
}

TEST(LocationOfServer, RefusesTheRestWithoutShowingPasswords) {
  for (const char* text : {"",
                           "users.bloom",
                           "redis://host",
                           "redis://host#",
                           "redis://#key",
                           "redis://:7000#key",
                           "redis://host:#key",
                           "redis://host:0#key",
                           "redis://host:x#key",
                           "redis://host:65536#key",
                           "redis://host/x#key",
                           "redis://host/-1#key",
                           "redis://secret@host#key",
                           "redis://[::1#key",
                           "redis://[::1]7#key",
                           "redis://ho st#key",
                           "unix://#key",
                           "unix://relative#key",
                           "redis+unix:///s%00x#key",
                           "unix:///s?db=#key",
                           "redis://u:secret@host:x#key",
                           "redis://u:secret@host?=x#key",
                           "redis://u:secret@host?x#key",
                           "redis://u:secret@host?timeout=0#key",
                           "redis://u:secret@host?timeout=1s#key",
                           "redis://u:secret@host?connections=0#key",
                           "redis://u:secret@host?password_env=X#key",
                           "redis://u:secret@host?bits=1&bits=2#key",
                           "redis://u:secret@host?user=x#key",
                           "redis://u:secret@host?ca=x#key",
                           "redis://u:secret@host?insecure_skip_verify=1#key",
                           "rediss://u:secret@host?cert=x#key",
                           "rediss://u:secret@host?insecure_skip_verify=yes#key",
                           "redis+sentinel://:secret@h1,h2#key",
                           "redis+sentinel://:secret@h1,h2/#key",
                           "redis+sentinel://:secret@h1,,h2/master#key",
                           "redis+sentinel://:secret@h1/master?sentinel_user=x#key",
                           "redis://:secret@h1?sentinel_password_env=X#key",
                           "redis://:secret@h1,h2#key",
                           "rediss+cluster://:secret@h1,h2/1#key",
                           "rediss+cluster://:secret@h1,h2?db=1#key",
                           "redis+cluster://:secret@h1,h2:x#key",
                           "redis+cluster://#key",
                           "redis://u:secret%zz@host#key",
                           "redis://host#%4",
                           "redis://host#key?partitions=secret",
                           "redis://host#key?timeout=1&ca=secret"}) {
    try {
      parse_location(text);
      ADD_FAILURE() << text;
    } catch (const std::invalid_argument& refused) {
      EXPECT_EQ(std::string(refused.what()).find("secret"), std::string::npos) << refused.what();
      EXPECT_NE(std::string(refused.what()).find("allowed:"), std::string::npos);
    }
  }
}

TEST(LocationOfServer, NeverSaysItsPassword) {
  const Location location = parse_location("redis://me:secret@host/1#k");
  EXPECT_EQ(location.server().find("secret"), std::string::npos);
  EXPECT_EQ(location.text().find("secret"), std::string::npos);
}

TEST(LocationOfServer, FindsItsPasswordInAFileOrTheEnvironment) {
  const testing::ScratchFolder folder;
  const std::string file = (folder / "password").string();
  const Location of_file = parse_location("redis://h?password_file=" + file + "#k");
  EXPECT_THROW(password_of(of_file), StoreError);
  testing::write_file(file, "pass word\r\nmore\n");
  EXPECT_EQ(password_of(of_file), "pass word");
  testing::write_file(file, "\n");
  EXPECT_THROW(password_of(of_file), StoreError);
  testing::write_file(file, std::string(65 * 1024, 'x'));
  EXPECT_THROW(password_of(of_file), StoreError);

  const Location of_variable = parse_location("redis://h?password_env=BLOOMERY_TEST_PASSWORD#k");
  unsetenv("BLOOMERY_TEST_PASSWORD");
  EXPECT_THROW(password_of(of_variable), StoreError);
  setenv("BLOOMERY_TEST_PASSWORD", "other", 1);
  EXPECT_EQ(password_of(of_variable), "other");
  EXPECT_EQ(password_of(parse_location("redis://h#k")), "");
}

}  // namespace
}  // namespace bloomery::redis
