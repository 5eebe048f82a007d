// SPDX-License-Identifier: Apache-2.0
// What COMMAND INFO and COMMAND DOCS tell of every command.
#include <gtest/gtest.h>

#include <string>

#include "tests/module/server_client.h"

namespace bloomery {
namespace {

using testing::ModuleServer;
using testing::ModuleTest;
using testing::Reply;

// The value behind a name, in a list of names and values.
const Reply* find(const Reply& list, const std::string& name) {
  for (std::size_t i = 0; i + 1 < list.items.size(); i += 2) {
    if (list.items[i].text == name || list.items[i].line == "+" + name) return &list.items[i + 1];
  }
  return nullptr;
}

std::string text_of(const Reply& list, const std::string& name) {
  const Reply* const value = find(list, name);
  if (value == nullptr) return "";
  return value->line[0] == '$' ? value->text : value->line.substr(1);
}

// "key:key error:block=ERROR?(error:double) item:string+" and so on.
std::string usage(const Reply& arguments) {
  std::string all;
  for (const Reply& each : arguments.items) {
    all += (all.empty() ? "" : " ") + text_of(each, "name") + ":" + text_of(each, "type");
    if (find(each, "token") != nullptr) all += "=" + text_of(each, "token");
    if (const Reply* const flags = find(each, "flags"); flags != nullptr) {
      for (const Reply& flag : flags->items) all += flag.line == "+optional" ? "?" : "+";
    }
    if (const Reply* const parts = find(each, "arguments"); parts != nullptr) {
      all += "(" + usage(*parts) + ")";
    }
  }
  return all;
}

struct Expected {
  const char* name;
  int arity;
  const char* flags;
  const char* key;  // what becomes of it
  const char* tips;
  const char* since;
  const char* usage;
};

const Expected kExpected[]{
    {"bf.reserve", -4, "*3 +write +denyoom +module", "*2 +RW +insert", "*0", "1.0.0",
     "key:key error_rate:double capacity:integer "
     "expansion:block=EXPANSION?(expansion:integer) nonscaling:pure-token=NONSCALING? "
     "nx:pure-token=NX? seconds:integer=EX?"},
    {"bf.add", 3, "*3 +write +denyoom +module", "*2 +RW +insert", "*0", "1.0.0",
     "key:key item:string"},
    {"bf.madd", -3, "*3 +write +denyoom +module", "*2 +RW +insert", "*0", "1.0.0",
     "key:key item:string+"},
    {"bf.insert", -4, "*3 +write +denyoom +module", "*2 +RW +insert", "*0", "1.0.0",
     "key:key capacity:block=CAPACITY?(capacity:integer) error:block=ERROR?(error:double) "
     "expansion:block=EXPANSION?(expansion:integer) nocreate:pure-token=NOCREATE? "
     "nonscaling:pure-token=NONSCALING? nx:pure-token=NX? seconds:integer=EX? "
     "items:pure-token=ITEMS item:string+"},
    {"bf.exists", 3, "*3 +readonly +module +fast", "*2 +RO +access", "*0", "1.0.0",
     "key:key item:string"},
    {"bf.mexists", -3, "*3 +readonly +module +fast", "*2 +RO +access", "*0", "1.0.0",
     "key:key item:string+"},
    {"bf.card", 2, "*3 +readonly +module +fast", "*2 +RO +access", "*0", "2.4.4", "key:key"},
    {"bf.info", -2, "*3 +readonly +module +fast", "*2 +RO +access", "*1 $10 dont_cache", "1.0.0",
     "key:key single_value:oneof?(capacity:pure-token=CAPACITY size:pure-token=SIZE "
     "filters:pure-token=FILTERS items:pure-token=ITEMS expansion:pure-token=EXPANSION)"},
    {"bf.debug", 2, "*3 +readonly +module +fast", "*2 +RO +access", "*1 $10 dont_cache", "1.0.0",
     "key:key"},
    {"bf.scandump", 3, "*3 +readonly +module +fast", "*2 +RW +access", "*1 $10 dont_cache", "1.0.0",
     "key:key iterator:integer"},
    {"bf.loadchunk", 4, "*3 +write +denyoom +module", "*2 +RW +insert", "*0", "1.0.0",
     "key:key iterator:integer data:string"},
    {"cf.reserve", -3, "*3 +write +denyoom +module", "*2 +RW +insert", "*0", "1.0.0",
     "key:key capacity:integer bucketsize:block=BUCKETSIZE?(bucketsize:integer) "
     "maxiterations:block=MAXITERATIONS?(maxiterations:integer) "
     "expansion:block=EXPANSION?(expansion:integer)"},
    {"cf.add", 3, "*3 +write +denyoom +module", "*2 +RW +insert", "*0", "1.0.0",
     "key:key item:string"},
    {"cf.addnx", 3, "*3 +write +denyoom +module", "*2 +RW +insert", "*0", "1.0.0",
     "key:key item:string"},
    {"cf.insert", -4, "*3 +write +denyoom +module", "*2 +RW +insert", "*0", "1.0.0",
     "key:key capacity:block=CAPACITY?(capacity:integer) nocreate:pure-token=NOCREATE? "
     "items:pure-token=ITEMS item:string+"},
    {"cf.insertnx", -4, "*3 +write +denyoom +module", "*2 +RW +insert", "*0", "1.0.0",
     "key:key capacity:block=CAPACITY?(capacity:integer) nocreate:pure-token=NOCREATE? "
     "items:pure-token=ITEMS item:string+"},
    {"cf.exists", 3, "*3 +readonly +module +fast", "*2 +RO +access", "*0", "1.0.0",
     "key:key item:string"},
    {"cf.mexists", -3, "*3 +readonly +module +fast", "*2 +RO +access", "*0", "1.0.0",
     "key:key item:string+"},
    {"cf.count", 3, "*3 +readonly +module +fast", "*2 +RO +access", "*0", "1.0.0",
     "key:key item:string"},
    {"cf.del", 3, "*3 +write +module +fast", "*2 +RW +update", "*0", "1.0.0",
     "key:key item:string"},
    {"cf.compact", 2, "*2 +write +module", "*2 +RW +update", "*0", "2.2.0", "key:key"},
    {"cf.info", 2, "*3 +readonly +module +fast", "*2 +RO +access", "*1 $10 dont_cache", "1.0.0",
     "key:key"},
    {"cf.debug", 2, "*3 +readonly +module +fast", "*2 +RO +access", "*1 $10 dont_cache", "1.0.0",
     "key:key"},
    {"cf.scandump", 3, "*3 +readonly +module +fast", "*2 +RW +access", "*1 $10 dont_cache", "1.0.0",
     "key:key iterator:integer"},
    {"cf.loadchunk", 4, "*3 +write +denyoom +module", "*2 +RW +insert", "*0", "1.0.0",
     "key:key iterator:integer data:string"},
    {"bloom.reserve", -4, "*3 +write +denyoom +module", "*2 +RW +insert", "*0", "1.0.0",
     "key:key error_rate:double capacity:integer "
     "layout:oneof=LAYOUT?(blocked:pure-token=BLOCKED classic:pure-token=CLASSIC) "
     "hash:oneof?(seed:integer=SEED secret:pure-token=SECRET) ratio:double=TIGHTENING? "
     "expansion:integer=EXPANSION? nx:pure-token=NX? seconds:integer=EX? "
     "counting:pure-token=COUNTING? "
     "window:block=WINDOW?(seconds:integer generations:integer=GENERATIONS?)"},
    {"bloom.add", 3, "*3 +write +denyoom +module", "*2 +RW +insert", "*0", "1.0.0",
     "key:key item:string"},
    {"bloom.madd", -3, "*3 +write +denyoom +module", "*2 +RW +insert", "*0", "1.0.0",
     "key:key item:string+"},
    {"bloom.apply", -4, "*3 +write +denyoom +module", "*2 +RW +insert", "*0", "1.0.0",
     "key:key milliseconds:unix-time item:string+"},
    {"bloom.del", 3, "*3 +write +module +fast", "*2 +RW +update", "*0", "1.0.0",
     "key:key item:string"},
    {"bloom.check", -3, "*3 +readonly +module +fast", "*2 +RO +access", "*0", "1.0.0",
     "key:key fence:block=FENCE?(source:string position:integer) item:string+"},
    {"bloom.advance", -8, "*3 +write +denyoom +module", "*2 +RW +insert", "*0", "1.0.0",
     "key:key identity:string=EPOCH beat:block=BEAT?(beat:integer step:integer=BY?) "
     "from:string=FROM to:string=TO "
     "item:string=ITEMS?+"},
    {"bloom.merge", -3, "*3 +write +denyoom +module", "*2 +RW +insert", "*0", "1.0.0",
     "destination:key source:key+"},
    {"bloom.info", -2, "*3 +readonly +module +fast", "*2 +RO +access", "*1 $10 dont_cache", "1.0.0",
     "key:key watermark:pure-token=WATERMARK?"},
    {"bloom.read", 4, "*2 +readonly +module", "*2 +RO +access", "*1 $10 dont_cache", "1.0.0",
     "key:key offset:integer bytes:integer"},
    {"bloom.delta", -5, "*2 +readonly +module", "*2 +RO +access", "*1 $10 dont_cache", "1.0.0",
     "key:key since:block=SINCE(name:string sequence:integer) milliseconds:integer=BLOCK?"},
    {"bloom.load", -3, "*3 +write +denyoom +module", "*2 +RW +insert", "*0", "1.0.0",
     "key:key step:oneof(load:block=BEGIN(bytes:integer? id:string=ID? seconds:integer=EX?) "
     "length:block=BYTES(bytes:integer id:string=ID?) "
     "piece:block=AT(offset:integer data:string id:string=ID?) "
     "end:block(commit:pure-token=COMMIT id:string=ID?) "
     "stop:block(abort:pure-token=ABORT id:string=ID?) head:string=EMPTY "
     "stored:block=PUT(target:string bytes:integer offset:integer data:string) "
     "turn:pure-token=TURN)"},
};

class Description : public ModuleTest {};

TEST_F(Description, IsOfEveryCommand) {
  ModuleServer server(folder());
  if (server.ask("COMMAND DOCS get")[0] == '-') GTEST_SKIP() << "the server describes nothing";
  for (const Expected& each : kExpected) {
    const Reply info = server.call({"COMMAND", "INFO", each.name}).items.at(0);
    ASSERT_EQ(info.items.size(), 10U) << each.name;
    EXPECT_EQ(info.items[1].line, ":" + std::to_string(each.arity)) << each.name;
    EXPECT_EQ(info.items[2].shown(), each.flags) << each.name;
    const bool has_many_keys = std::string(each.usage).find("key+") != std::string::npos;
    EXPECT_EQ(info.items[3].line + info.items[4].line + info.items[5].line,
              has_many_keys ? ":1:-1:1" : ":1:1:1")
        << each.name;
    EXPECT_EQ(info.items[7].shown(), each.tips) << each.name;
    ASSERT_EQ(info.items[8].items.size(), has_many_keys ? 2U : 1U) << each.name;
    if (has_many_keys) {
      EXPECT_EQ(find(info.items[8].items[1], "flags")->shown(), "*2 +RO +access") << each.name;
    }
    EXPECT_EQ(find(info.items[8].items[0], "flags")->shown(), each.key) << each.name;

    const Reply docs = server.call({"COMMAND", "DOCS", each.name}).items.at(1);
    EXPECT_EQ(text_of(docs, "since"), each.since) << each.name;
    EXPECT_EQ(text_of(docs, "group"), "module") << each.name;
    EXPECT_NE(text_of(docs, "summary"), "") << each.name;
    EXPECT_NE(text_of(docs, "complexity"), "") << each.name;
    ASSERT_NE(find(docs, "arguments"), nullptr) << each.name;
    EXPECT_EQ(usage(*find(docs, "arguments")), each.usage) << each.name;
  }
  EXPECT_EQ(server.ask("COMMAND GETKEYS BF.MADD key a b"), "*1 $3 key");
}

}  // namespace
}  // namespace bloomery
