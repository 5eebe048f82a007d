#include "bloomery/store/redis/redis_location.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

namespace bloomery {
namespace {

TEST(RedisLocation, SaysServerDatabaseAndKey) {
  const RedisLocation plain = parse_redis_location("redis://cache.example#users");
  EXPECT_EQ(plain.host, "cache.example");
  EXPECT_EQ(plain.port, 6379);
  EXPECT_EQ(plain.database, 0U);
  EXPECT_EQ(plain.key, "users");
  const RedisLocation full = parse_redis_location("redis://me:p%40ss@10.0.0.1:7000/3#a%23b#c");
  EXPECT_EQ(full.user, "me");
  EXPECT_EQ(full.password, "p@ss");
  EXPECT_EQ(full.port, 7000);
  EXPECT_EQ(full.database, 3U);
  EXPECT_EQ(full.key, "a#b#c");
  EXPECT_EQ(full.server(), "redis://10.0.0.1:7000");
  const RedisLocation six = parse_redis_location("redis://:x@[::1]:7000/#k");
  EXPECT_EQ(six.host, "::1");
  EXPECT_EQ(six.password, "x");
  EXPECT_EQ(six.server(), "redis://[::1]:7000");
  const RedisLocation socket = parse_redis_location("unix:///run/my%20redis.sock?db=2#k");
  EXPECT_EQ(socket.socket, "/run/my redis.sock");
  EXPECT_EQ(socket.database, 2U);
}

TEST(RedisLocation, RefusesTheRestWithoutShowingPasswords) {
  for (const char* text : {"",
                           "users.bloom",
                           "redis://host",
                           "redis://host#",
                           "redis://#key",
                           "redis://:7000#key",
                           "redis://host:#key",
                           "redis://host:x#key",
                           "redis://host:65536#key",
                           "redis://host/x#key",
                           "redis://host/-1#key",
                           "redis://secret@host#key",
                           "redis://[::1#key",
                           "redis://[::1]7#key",
                           "unix://#key",
                           "unix:///s?x=1#key",
                           "unix:///s?db=#key",
                           "redis://u:secret@host:x#key",
                           "rediss://host#key",
                           "redis://host#%4"}) {
    try {
      parse_redis_location(text);
      ADD_FAILURE() << text;
    } catch (const std::invalid_argument& refused) {
      EXPECT_EQ(std::string(refused.what()).find("secret"), std::string::npos) << refused.what();
      EXPECT_NE(std::string(refused.what()).find("allowed:"), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace bloomery
