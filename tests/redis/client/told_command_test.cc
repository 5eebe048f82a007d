// SPDX-License-Identifier: Apache-2.0
// What the user of a place is told where its server refuses: also which command, and of which key.

#include "bloomery/redis/client/told_command.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "bloomery/format/pyrebloom.h"
#include "bloomery/redis/client/client.h"
#include "bloomery/redis/client/server_errors.h"
#include "bloomery/redis/places/bitmap_place.h"
#include "tests/store/scratch_folder.h"
#include "tests/support/redis_server.h"

namespace bloomery::redis {
namespace {

Reply refused(std::string text) {
  return {.type = Reply::Type::error, .text = std::move(text)};
}
Reply done() {
  return {.type = Reply::Type::status, .text = "OK"};
}
Reply all_of(std::vector<Reply> elements) {
  return {.type = Reply::Type::array, .elements = std::move(elements)};
}

std::vector<Reply> told(const Request& request, std::vector<Reply> replies) {
  tell_commands(request, replies);
  return replies;
}

TEST(ToldCommand, NamesCommandAndKey) {
  const auto said = [](const Request& request) {
    return told(request, {refused("ERR no")})[0].text;
  };
  EXPECT_EQ(said(Request().add({"GET", "users"})), "ERR no (GET users)");
  EXPECT_EQ(said(Request().add({"EVAL", "return 1", "1", "{users}:x"})), "ERR no (EVAL {users}:x)");
  EXPECT_EQ(said(Request().add({"EVAL", "return 1", "0"})), "ERR no (EVAL)");
  EXPECT_EQ(said(Request().add({"GET", "a \x01"})), "ERR no (GET \"a \\x01\")");
  EXPECT_EQ(said(Request().add({"PING"})), "ERR no (PING)");
}

TEST(ToldCommand, NamesNoPassword) {
  const auto replies = told(Request().add({"AUTH", "app", "hush"}), {refused("WRONGPASS no")});
  EXPECT_EQ(replies[0].text, "WRONGPASS no (AUTH)");
}

TEST(ToldCommand, NamesThoseOfATransactionAndWhatTheyBring) {
  Request request;
  request.add({"GET", "a"}).add({"MULTI"}).add({"STRLEN", "b"}).add({"BF.INSERT", "c", "x"});
  request.add({"EXEC"}).add({"TYPE", "d"});
  const auto replies =
      told(request, {done(), done(), done(), done(),
                     all_of({refused("WRONGTYPE b"), all_of({done(), refused("full")})}),
                     refused("NOPERM d")});
  EXPECT_EQ(replies[4].elements[0].text, "WRONGTYPE b (STRLEN b)");
  EXPECT_EQ(replies[4].elements[1].elements[1].text, "full (BF.INSERT c)");
  EXPECT_EQ(replies[5].text, "NOPERM d (TYPE d)");
  EXPECT_TRUE(replies[0].is_status("OK"));
}

// A server without memory queues not even ECHO.
TEST(ToldCommand, NamesTheFirstKeyOfATransactionThatWasRefused) {
  Request request;
  request.add({"MULTI"}).add({"ECHO", "1"}).add({"STRLEN", "b"}).add({"EXEC"});
  const auto replies =
      told(request, {done(), refused("OOM no"), refused("OOM no"), refused("EXECABORT no")});
  EXPECT_EQ(replies[1].text, "OOM no (STRLEN b)");
  EXPECT_EQ(replies[3].text, "EXECABORT no (STRLEN b)");
}

TEST(ToldCommand, NamesThoseOfATransactionThatBeganBefore) {
  Request rest;
  rest.add({"GET", "a"}).add({"GET", "b"}).add({"EXEC"});
  const auto replies = told(rest, {done(), done(), all_of({done(), refused("WRONGTYPE")})});
  EXPECT_EQ(replies[2].elements[1].text, "WRONGTYPE (GET b)");
}

TEST(ToldCommand, StandsBehindWhatIsCut) {
  const auto replies = told(Request().add({"GET", "k"}), {refused(std::string(5'000, 'x'))});
  EXPECT_TRUE(replies[0].text.ends_with("xxx... (GET k)"));
  EXPECT_TRUE(std::string(RefusedError("s", replies[0].text).what()).ends_with("xxx... (GET k)"));
}

TEST(ToldCommand, IsInWhatAPlaceThrows) {
  if (!testing::RedisServer::is_installed()) GTEST_SKIP() << "no redis-server here";
  const testing::ScratchFolder folder;
  const testing::RedisServer server(folder.path().string());
  const std::string at = "redis+unix://" + server.socket() + "?bits=1000&probes=3#users";
  const auto place = open_bitmap_place(pyrebloom::kFormat, at, true);
  server.ask("CONFIG SET maxmemory 1");
  try {
    place->insert("a");
    FAIL();
  } catch (const RefusedError& error) {
    EXPECT_EQ(error.refusal, Refusal::out_of_memory);
    EXPECT_NE(std::string(error.what()).find(" users"), std::string::npos) << error.what();
    EXPECT_TRUE(std::string(error.what()).ends_with(")")) << error.what();
  }
}

}  // namespace
}  // namespace bloomery::redis
