// SPDX-License-Identifier: Apache-2.0
#include "bloomery/store/file_location.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace bloomery {
namespace {

TEST(FileLocation, IsAFileOfOurOwnWithoutAFormat) {
  for (const char* const path : {"users.bloom", "a/b:c.bloom", "./guava:x", "C:x", "?"}) {
    const FileLocation location = parse_file_location(path);
    EXPECT_EQ(location.format, nullptr) << path;
    EXPECT_EQ(location.path, path);
    EXPECT_EQ(location.text(), path);
  }
}

TEST(FileLocation, NamesAFormatAndWhatItsBytesDoNotSay) {
  const FileLocation plain = parse_file_location("guava:/data/users:1.bin");
  EXPECT_EQ(plain.format, find_format("guava"));
  EXPECT_EQ(plain.path, "/data/users:1.bin");
  EXPECT_TRUE(plain.settings.empty());
  EXPECT_EQ(plain.text(), "guava:/data/users:1.bin");

  const FileLocation more = parse_file_location("redisson:a?b?size=7&hashIterations=5");
  EXPECT_EQ(more.path, "a?b");
  EXPECT_EQ(more.settings, (FormatSettings{{"size", "7"}, {"hashIterations", "5"}}));
  EXPECT_EQ(more.config_path(), "a?b.config");
}

TEST(FileLocation, RefusesWhatItCannotMean) {
  for (const char* const text :
       {"", "nosuch:file", "guava:", "guava:?k=1", "guava:x?k", "guava:x?=1", "guava:x?k=1&k=2"}) {
    EXPECT_THROW(parse_file_location(text), std::invalid_argument) << text;
  }
}

// create would make a file of that name, and nobody would miss the server.
TEST(FileLocation, IsNoServerWhoseSchemeWasForgotten) {
  for (const char* const text :
       {"redisson:127.0.0.1:6379#users", "gozero:cache.example:6379/2?bits=80#users",
        "redisson:redis:127.0.0.1#users", "bitmap:127.0.0.1:6379#users", "bloom:cache#users",
        "bf:[::1]:6379#users"}) {
    try {
      parse_file_location(text);
      ADD_FAILURE() << text;
    } catch (const std::invalid_argument& error) {
      EXPECT_THAT(error.what(), ::testing::HasSubstr(":redis://")) << text;
    }
  }
  EXPECT_EQ(parse_file_location("redisson:./127.0.0.1:6379#users").path, "./127.0.0.1:6379#users");
  EXPECT_EQ(parse_file_location("guava:users:a#2.bin").path, "users:a#2.bin");
}

}  // namespace
}  // namespace bloomery
