// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "bloomery/format/rdb/crc64.h"
#include "bloomery/format/rdb/lzf.h"
#include "bloomery/format/rdb/module_value.h"
#include "tests/format/foreign_vectors.h"
#include "tests/format/redisbloom/redisbloom_bytes.h"

namespace bloomery::rdb {
namespace {

using golden::bytes_of;

TEST(RdbChecksum, IsTheServersOwn) {
  const std::string digits = "123456789";
  EXPECT_EQ(crc64(bytes_of(digits)), 0xe9c6d914c4b8d9caU);
  EXPECT_EQ(crc64({}), 0U);
  std::string text;
  for (int i = 0; i < 1'000; ++i) text += static_cast<char>(i * i);
  for (const std::size_t cut : {0U, 1U, 7U, 8U, 9U, 500U, 1'000U}) {
    const auto bytes = bytes_of(text);
    EXPECT_EQ(crc64(bytes.subspan(cut), crc64(bytes.first(cut))), testing::slow_crc64(text));
  }
}

bool expands(const std::string& packed, const std::string& expected) {
  std::string out(expected.size(), '?');
  return expand_lzf(bytes_of(packed), std::as_writable_bytes(std::span(out))) && out == expected;
}

TEST(Lzf, ExpandsLiteralsRunsAndRepeats) {
  using namespace std::string_literals;
  EXPECT_TRUE(expands("", ""));
  EXPECT_TRUE(expands("\2abc"s, "abc"));
  EXPECT_TRUE(expands("\0a\xe0\xff\0"s, std::string(265, 'a')));
  EXPECT_TRUE(expands("\2abc\x20\2"s, "abcabc"));
  EXPECT_TRUE(expands("\2abc\xc0\2\0!"s, "abcabcabcab!"));
  const std::string far(0x1fff, 'x');
  std::string packed;
  for (std::size_t at = 0; at < far.size(); at += 32) {
    const auto count = std::min<std::size_t>(32, far.size() - at);
    packed += static_cast<char>(count - 1) + far.substr(at, count);
  }
  packed[1] = 'A';
  packed[2] = 'B';
  EXPECT_TRUE(expands(packed + "\x3f\xfe"s, "AB" + far.substr(2) + "ABx"));
}

TEST(Lzf, RefusesStepsThatLeaveTheirBytes) {
  using namespace std::string_literals;
  for (const std::string& packed : {"\2ab"s, "\2abc\x20"s, "\2abc\xe0"s, "\2abc\xe0\1"s,
                                    "\2abc\x20\3"s, "\x20\0"s, "\2abc\xff\xff\xff"s}) {
    for (std::size_t room = 0; room < 20; ++room) {
      EXPECT_FALSE(expands(packed, std::string(room, 'a')));
    }
  }
  EXPECT_FALSE(expands("\2abc"s, "ab"));
  EXPECT_FALSE(expands("\2abc"s, "abcd"));
}

TEST(ModuleType, IsNineLettersAndAVersion) {
  const std::uint64_t id = testing::type_id("MBbloom--", 4);
  EXPECT_EQ(module_type(id).name, "MBbloom--");
  EXPECT_EQ(module_type(id).encoding_version, 4U);
  EXPECT_EQ(module_type_id({"MBbloom--", 4}), id);
  EXPECT_EQ(module_type(0).name, "AAAAAAAAA");
  EXPECT_EQ(module_type(~std::uint64_t{0}).name, "_________");
}

}  // namespace
}  // namespace bloomery::rdb
