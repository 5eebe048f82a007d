// SPDX-License-Identifier: Apache-2.0
#include "bloomery/text/secrets.h"

#include <gtest/gtest.h>

namespace bloomery {
namespace {

TEST(Secrets, OfLocationsAreHidden) {
  EXPECT_EQ(without_secrets("bf:redis://ann:pw@h:6379/2#k"), "bf:redis://ann:***@h:6379/2#k");
  EXPECT_EQ(without_secrets("redis://:p/w?x#y@h#k"), "redis://:***@h#k");
  EXPECT_EQ(without_secrets("valkey:/u:pw@h"), "valkey:/u:***@h");
  EXPECT_EQ(without_secrets("redis//u:pw@h"), "redis//u:***@h");
  EXPECT_EQ(without_secrets("no \"s3://k:pw@b/f\" is there"), "no \"s3://k:***@b/f\" is there");
  EXPECT_EQ(without_secrets("postgres://u:my pass@h/db"), "postgres://u:***@h/db");
  EXPECT_EQ(without_secrets("redis://u:12@34@h:1#k"), "redis://u:***@h:1#k");
}

TEST(Secrets, OfSettingsAreHiddenUnlessTheyAreKnown) {
  EXPECT_EQ(without_secrets("redis://h?bits=80&access-key=pw&db=2#k"),
            "redis://h?bits=80&access-key=***&db=2#k");
  EXPECT_EQ(without_secrets("redis://h#k?Password=pw"), "redis://h#k?Password=***");
  EXPECT_EQ(without_secrets("users.bloom?token=pw no"), "users.bloom?token=*** no");
  EXPECT_EQ(without_secrets("https://h/f?pw"), "https://h/f?***");
  EXPECT_EQ(without_secrets("sqlite:a.db?table=t&column=c&key=pw"),
            "sqlite:a.db?table=t&column=c&key=***");
}

TEST(Secrets, AreNothingElse) {
  for (const char* const text :
       {"", "users.bloom: cannot open it", "redis://127.0.0.1:6379#k@x", "redis://h:1,h:2#k@x",
        "redis://[::1]:6379/0#k", "mail@example.org", "guava:backup@monday", "what?.txt",
        "a & b = c?", "/home/ann@work/x", "redis://[[user]:password@]host[:port]#key",
        "postgres://[USER[:PASSWORD]@][HOST[:PORT]]/DATABASE?table=TABLE&column=COLUMN",
        "redis://h[?name=value&...]#key", "https://example.org/a:b"}) {
    EXPECT_EQ(without_secrets(text), text);
  }
}

}  // namespace
}  // namespace bloomery
