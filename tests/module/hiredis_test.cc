// SPDX-License-Identifier: Apache-2.0
// hiredis, under most clients of C, C++ and others: replies as it types them.
#include <gtest/gtest.h>
#include <hiredis/hiredis.h>

#include <memory>
#include <string>

#include "tests/module/server_client.h"

namespace bloomery {
namespace {

using testing::ModuleServer;
using testing::ModuleTest;

class Hiredis : public ModuleTest {};

struct Free {
  void operator()(redisContext* context) const { redisFree(context); }
  void operator()(redisReply* reply) const { freeReplyObject(reply); }
};
using Answer = std::unique_ptr<redisReply, Free>;

TEST_F(Hiredis, TypesTheReplies) {
  const ModuleServer server(folder());
  const std::unique_ptr<redisContext, Free> context(redisConnectUnix(server.socket().c_str()));
  ASSERT_EQ(context->err, 0) << context->errstr;
  const auto ask = [&](const char* format, auto... arguments) {
    return Answer(static_cast<redisReply*>(redisCommand(context.get(), format, arguments...)));
  };
  EXPECT_EQ(ask("BF.RESERVE bf 0.01 1000")->type, REDIS_REPLY_STATUS);
  EXPECT_EQ(ask("BF.RESERVE bf 0.01 1000")->type, REDIS_REPLY_ERROR);
  const Answer added = ask("BF.ADD bf %b", "a\0b", std::size_t{3});
  EXPECT_EQ(added->type, REDIS_REPLY_INTEGER);
  EXPECT_EQ(added->integer, 1);
  const Answer found = ask("BF.MEXISTS bf %b a", "a\0b", std::size_t{3});
  ASSERT_EQ(found->type, REDIS_REPLY_ARRAY);
  ASSERT_EQ(found->elements, 2U);
  EXPECT_EQ(found->element[0]->integer, 1);
  EXPECT_EQ(found->element[1]->integer, 0);
  EXPECT_EQ(ask("BF.INFO bf")->elements, 10U);
  const Answer chunk = ask("BF.SCANDUMP bf 0");
  ASSERT_EQ(chunk->elements, 2U);
  EXPECT_EQ(chunk->element[1]->type, REDIS_REPLY_STRING);

  constexpr int kUnderWay = 1000;
  for (int i = 0; i < kUnderWay; ++i) redisAppendCommand(context.get(), "BF.ADD bf %d", i);
  for (int i = 0; i < kUnderWay; ++i) {
    void* reply = nullptr;
    ASSERT_EQ(redisGetReply(context.get(), &reply), REDIS_OK);
    EXPECT_EQ(Answer(static_cast<redisReply*>(reply))->type, REDIS_REPLY_INTEGER);
  }
}

}  // namespace
}  // namespace bloomery
