// SPDX-License-Identifier: Apache-2.0
#include "bloomery/redis/places/item_keys.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "bloomery/redis/client/server_errors.h"

namespace bloomery::redis {
namespace {

Reply number(std::int64_t value) {
  Reply reply;
  reply.type = Reply::Type::number;
  reply.number = value;
  return reply;
}

Reply error(const char* text) {
  Reply reply;
  reply.type = Reply::Type::error;
  reply.text = text;
  return reply;
}

Reply array(std::vector<Reply> elements) {
  Reply reply;
  reply.type = Reply::Type::array;
  reply.elements = std::move(elements);
  return reply;
}

TEST(ItemFlags, AreAsManyAsWereAskedFor) {
  EXPECT_EQ(item_flags(array({number(1), number(0)}), 2, "f", false),
            (std::vector<bool>{true, false}));
  EXPECT_THROW(item_flags(array({number(1)}), 2, "f", false), ProtocolError);
  EXPECT_THROW(item_flags(array({number(1), number(2)}), 2, "f", false), ProtocolError);
  EXPECT_THROW(item_flags(number(1), 1, "f", false), ProtocolError);
}

// A full filter ends the array there.
TEST(ItemFlags, SayWhatTheServerRefused) {
  const Reply reply = array({number(1), error("ERR non scaling filter is full")});
  try {
    item_flags(reply, 5, "f", false);
    FAIL() << "was taken";
  } catch (const RefusedError& refused) {
    EXPECT_NE(std::string(refused.what()).find("filter is full"), std::string::npos);
  }
}

}  // namespace
}  // namespace bloomery::redis
