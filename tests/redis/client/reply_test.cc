// SPDX-License-Identifier: Apache-2.0
#include "bloomery/redis/client/reply.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "bloomery/redis/client/errors.h"
#include "bloomery/redis/client/request.h"

namespace bloomery::redis {
namespace {

constexpr const char* kAllTypes =
    "*6\r\n+OK\r\n:-1\r\n$3\r\na\r\n\r\n$-1\r\n*2\r\n:7\r\n*-1\r\n-ERR x\r\n";

void expect_all_types(const Reply& all) {
  ASSERT_EQ(all.elements.size(), 6U);
  EXPECT_TRUE(all.elements[0].is_status("OK"));
  EXPECT_EQ(all.elements[1].number, -1);
  EXPECT_EQ(all.elements[2].text, "a\r\n");
  EXPECT_TRUE(all.elements[3].is(Reply::Type::nil));
  ASSERT_EQ(all.elements[4].elements.size(), 2U);
  EXPECT_EQ(all.elements[4].elements[0].number, 7);
  EXPECT_TRUE(all.elements[5].is(Reply::Type::error));
  EXPECT_EQ(all.elements[5].text, "ERR x");
}

TEST(ReplyReader, ReadsRepliesInPiecesOfAnySize) {
  const std::string bytes = std::string(kAllTypes) + kAllTypes;
  for (std::size_t piece = 1; piece <= bytes.size(); ++piece) {
    ReplyReader reader;
    std::vector<Reply> replies;
    for (std::size_t at = 0; at < bytes.size(); at += piece) {
      ASSERT_EQ(reader.feed(std::string_view(bytes).substr(at, piece), replies), "");
    }
    ASSERT_EQ(replies.size(), 2U);
    EXPECT_FALSE(reader.has_part());
    expect_all_types(replies[0]);
    expect_all_types(replies[1]);
  }
}

TEST(ReplyReader, ReadsArraysThatGrow) {
  std::string bytes = "*3\r\n*100000\r\n";
  for (int i = 0; i < 100'000; ++i) bytes += ":" + std::to_string(i) + "\r\n";
  bytes += "*1\r\n+x\r\n:5\r\n";
  ReplyReader reader;
  std::vector<Reply> replies;
  ASSERT_EQ(reader.feed(bytes, replies), "");
  ASSERT_EQ(replies.size(), 1U);
  ASSERT_EQ(replies[0].elements[0].elements.size(), 100'000U);
  EXPECT_EQ(replies[0].elements[0].elements[99'999].number, 99'999);
  EXPECT_TRUE(replies[0].elements[1].elements[0].is_status("x"));
  EXPECT_EQ(replies[0].elements[2].number, 5);
}

TEST(ReplyReader, RefusesWhatIsNoReply) {
  for (const std::string bytes :
       {"hello\r\n", "*99999999999999\r\n", "*-7\r\n", "$-5\r\n", ":1x\r\n", ":-0\r\n", ":\r\n",
        ":99999999999999999999\r\n", "$99999999999999999999\r\n", "\r\n", "\x01\r\n"}) {
    ReplyReader reader;
    std::vector<Reply> replies;
    EXPECT_NE(reader.feed(bytes, replies), "") << bytes;
    EXPECT_TRUE(replies.empty());
  }
}

TEST(ReplyReader, RefusesArraysInArraysWithoutEnd) {
  ReplyReader reader;
  std::vector<Reply> replies;
  std::string bytes;
  for (int i = 0; i < 100'000; ++i) bytes += "*1\r\n";
  EXPECT_NE(reader.feed(bytes, replies), "");
}

TEST(ReplyReader, TakesEightArraysInEachOther) {
  for (const int depth : {8, 9}) {
    ReplyReader reader;
    std::vector<Reply> replies;
    std::string bytes;
    for (int i = 0; i < depth; ++i) bytes += "*1\r\n";
    EXPECT_EQ(reader.feed(bytes + ":7\r\n", replies) == "", depth == 8) << depth;
    EXPECT_EQ(replies.size(), depth == 8 ? 1U : 0U) << depth;
  }
}

TEST(ReplyReader, TakesNoMoreThanItsBound) {
  for (const std::string beginning : {"$1000000000\r\n", "*2000000000\r\n"}) {
    ReplyReader reader(1 << 20);
    std::vector<Reply> replies;
    std::string wrong = reader.feed(beginning, replies);
    EXPECT_EQ(wrong, "") << "may still come";
    const std::string piece = beginning[0] == '$' ? std::string(4096, 'x') : [] {
      std::string all;
      for (int i = 0; i < 1024; ++i) all += ":1\r\n";
      return all;
    }();
    int pieces = 0;
    while (wrong.empty() && pieces < 1000) wrong = reader.feed(piece, replies), ++pieces;
    EXPECT_NE(wrong, "");
    EXPECT_LE(pieces, 257);
  }
}

TEST(Request, IsBytesOfTheProtocol) {
  Request request;
  request.add({"SET", std::string_view("a\0b", 3), ""}).add({"PING"});
  EXPECT_EQ(request.size(), 2U);
  EXPECT_EQ(request.bytes(), std::string_view("*3\r\n$3\r\nSET\r\n$3\r\na\0b\r\n$0\r\n\r\n*1\r\n"
                                              "$4\r\nPING\r\n",
                                              42));
}

TEST(Refusal, IsKnownByTheFirstWord) {
  EXPECT_EQ(RefusedError("s", "WRONGTYPE Operation").refusal, Refusal::wrong_type);
  EXPECT_EQ(RefusedError("s", "LOADING Redis is").refusal, Refusal::loading);
  EXPECT_EQ(RefusedError("s", "READONLY You can't").refusal, Refusal::read_only);
  EXPECT_EQ(RefusedError("s", "MOVED 1 h:1").refusal, Refusal::moved);
  EXPECT_EQ(RefusedError("s", "NOPERM no").refusal, Refusal::no_permission);
  EXPECT_EQ(RefusedError("s", "ERR unknown command 'X'").refusal, Refusal::unknown_command);
  EXPECT_EQ(RefusedError("s", "WRONGTYPEX").refusal, Refusal::other);
  EXPECT_STREQ(RefusedError("s", "ERR a\nb\x1b[0m").what(), "s: ERR a\\nb\\x1b[0m");
}

}  // namespace
}  // namespace bloomery::redis
