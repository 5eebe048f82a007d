// SPDX-License-Identifier: Apache-2.0
#include "bloomery/redis/client/reply.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "bloomery/redis/client/request.h"
#include "bloomery/redis/client/server_errors.h"

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
  ReplyReader reader(1 << 20);
  std::vector<Reply> replies;
  std::string wrong = reader.feed("*1000\r\n", replies);
  EXPECT_EQ(wrong, "") << "may still come";
  const std::string piece = "$4096\r\n" + std::string(4096, 'x') + "\r\n";
  int pieces = 0;
  while (wrong.empty() && pieces < 1000) wrong = reader.feed(piece, replies), ++pieces;
  EXPECT_EQ(wrong, "a reply of more than 1,048,576 bytes");
  EXPECT_LE(pieces, 257);
}

// Whatever stands before it, and in pieces of any size.
TEST(ReplyReader, RefusesWhatIsAnnouncedBeforeItComes) {
  struct Announced {
    std::string bytes;
    std::string why;
  };
  const std::string text = "a reply announces a text of ";
  const std::string values = "a reply announces ";
  const std::string of_values = " values in arrays; allowed: 1,048,576";
  for (const auto& [bytes, why] : {
           Announced{"$10000000000000\r\n",
                     text + "10,000,000,000,000 bytes; allowed: 268,435,456"},
           Announced{"$268435457\r\nx", text + "268,435,457 bytes; allowed: 268,435,456"},
           Announced{"*3\r\n$1\r\na\r\n$9223372036854775807\r\n",
                     text + "9,223,372,036,854,775,807 bytes; allowed: 268,435,456"},
           Announced{"*2\r\n*1\r\n$300000000\r\n",
                     text + "300,000,000 bytes; allowed: 268,435,456"},
           Announced{"+OK\r\n$300000000\r\n", text + "300,000,000 bytes; allowed: 268,435,456"},
           Announced{"*2000000000\r\n", values + "2,000,000,000" + of_values},
           Announced{"*1048577\r\n", values + "1,048,577" + of_values},
           Announced{"*3\r\n*500000\r\n", ""},
           Announced{"*3\r\n*500000\r\n*600000\r\n", values + "1,100,003" + of_values},
           Announced{"$268435456\r\n", ""},
           Announced{"*1048576\r\n", ""},
           Announced{"+" + std::string(65'536, 'x'), ""},
           Announced{"+" + std::string(65'537, 'x'), "a line of more than 65,536 bytes"},
           Announced{"$" + std::string(65'537, '0'), "a line of more than 65,536 bytes"},
       }) {
    for (const std::size_t piece : {bytes.size(), std::size_t{1}}) {
      ReplyReader reader;
      std::vector<Reply> replies;
      std::string wrong;
      for (std::size_t at = 0; at < bytes.size() && wrong.empty(); at += piece) {
        wrong = reader.feed(std::string_view(bytes).substr(at, piece), replies);
      }
      EXPECT_EQ(wrong, why) << bytes.substr(0, 60);
    }
  }
}

TEST(ReplyReader, CountsValuesAnewForEachReply) {
  ReplyReader reader;
  std::vector<Reply> replies;
  std::string bytes = "*600000\r\n";
  for (int i = 0; i < 600'000; ++i) bytes += ":1\r\n";
  EXPECT_EQ(reader.feed(bytes, replies), "");
  EXPECT_EQ(reader.feed(bytes, replies), "");
  EXPECT_EQ(replies.size(), 2U);
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
