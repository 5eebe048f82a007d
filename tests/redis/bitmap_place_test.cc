// Filters that other systems' programs wrote, asked and filled where they live.

#include "bloomery/redis/bitmap_place.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "bloomery/format/redisson.h"
#include "bloomery/redis/bulk_load.h"
#include "tests/format/foreign_vectors.h"
#include "tests/store/scratch_folder.h"
#include "tests/support/golden.h"
#include "tests/support/redis_server.h"
#include "tests/support/run_threads.h"

namespace bloomery::redis {
namespace {

using golden::MakeKey;
using golden::text_keys;
using nlohmann::json;
using testing::RedisServer;

class LiveFilter : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!RedisServer::is_installed()) GTEST_SKIP() << "no redis-server here";
    server_ = std::make_unique<RedisServer>(folder_.path().string());
    client_ = std::make_unique<Client>(parse_location(at("any")));
  }

  std::string at(const std::string& key, const std::string& settings = "") const {
    return "redis+unix://" + server_->socket() + settings + "#" + key;
  }
  std::unique_ptr<FilterPlace> open(const std::string& format, const std::string& key,
                                    const std::string& settings = "", bool writes = true) const {
    const std::string trusting = settings.empty() ? "?trust=bits" : settings + "&trust=bits";
    return open_bitmap_place(*find_format(format), at(key, trusting), writes);
  }
  Reply ask(std::initializer_list<std::string_view> words) {
    const Answer answer = client_->run(Request().add(words), Repeat::never);
    return require_done(answer.replies.at(0), client_->location());
  }

  // As tryInit does it.
  void init_redisson(const std::string& key, const std::string& size = "9585",
                     const std::string& iterations = "7") {
    ask({"HSET", redisson::config_key(key), "size", size, "hashIterations", iterations,
         "expectedInsertions", "1000", "falseProbability", "0.01"});
  }
  int calls(const std::string& command) {
    const std::string info = ask({"INFO", "commandstats"}).text;
    const std::string name = "cmdstat_" + command + ":calls=";
    const std::size_t found = info.find(name);
    return found == std::string::npos ? 0 : std::stoi(info.substr(found + name.size()));
  }

  testing::ScratchFolder folder_;
  std::unique_ptr<RedisServer> server_{};
  std::unique_ptr<Client> client_{};
};

std::vector<Presence> answers_of(FilterPlace& place, const std::vector<std::string>& texts) {
  const std::vector<Key> keys(texts.begin(), texts.end());
  std::vector<Presence> answers(keys.size(), Presence::unknown);
  place.presence_of_many(keys, answers);
  return answers;
}

std::vector<std::string> keys_of(const MakeKey& make, const json& from, const json& to) {
  std::vector<std::string> keys;
  for (std::int64_t i = from; i < to.get<std::int64_t>(); ++i) keys.push_back(make(i));
  return keys;
}

// All that a vector says of a filter that `place` has filled or found.
void expect_answers(FilterPlace& place, const json& each, const MakeKey& make,
                    const json& positives) {
  const auto in = keys_of(make, each["insert_from"], each["insert_to_exclusive"]);
  for (const Presence answer : answers_of(place, in)) ASSERT_EQ(answer, Presence::maybe);
  const std::int64_t from = each["probe_from"];
  const auto answers = answers_of(place, keys_of(make, from, each["probe_to_exclusive"]));
  json found = json::array();
  for (std::size_t i = 0; i < answers.size(); ++i) {
    ASSERT_NE(answers[i], Presence::unknown);
    if (answers[i] == Presence::maybe) found.push_back(from + static_cast<std::int64_t>(i));
  }
  EXPECT_EQ(found, positives);
}

// Which of them were not new.
std::vector<std::int64_t> fill(FilterPlace& place, const json& each, const MakeKey& make) {
  const auto in = keys_of(make, each["insert_from"], each["insert_to_exclusive"]);
  const std::vector<Key> keys(in.begin(), in.end());
  std::vector<Inserted> outcomes(keys.size());
  place.insert_many(keys, outcomes);
  std::vector<std::int64_t> old;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    if (outcomes[i] == Inserted::present) {
      old.push_back(each["insert_from"].get<std::int64_t>() + static_cast<std::int64_t>(i));
    }
  }
  return old;
}

TEST_F(LiveFilter, OfRedissonIsReadAndWrittenBitForBit) {
  int tested = 0;
  for (const json& each : golden::read("redisson.json")["filters"]) {
    if (each["codec"] != "StringCodec" || !each.contains("string_b64")) continue;
    if (each["string_b64"].get<std::string>().empty()) continue;
    ++tested;
    const std::string name = each["name"];
    const std::string bytes = golden::bytes_of_base64(each["string_b64"].get<std::string>());
    const MakeKey make = text_keys(each["key_pattern"]);
    for (const auto& [field, value] : each["config_hash"].items()) {
      ask({"HSET", each["config_key"].get<std::string>(), field, value.get<std::string>()});
    }
    ask({"SET", name, bytes});
    const auto theirs = open("redisson", name);
    expect_answers(*theirs, each, make, each["probe_indices_reported_present"]);
    EXPECT_EQ(theirs->head().parameters.capacity, each["n"].get<std::uint64_t>());

    ask({"DEL", name});
    const auto ours = open("redisson", name);
    EXPECT_EQ(json(fill(*ours, each, make)), each["insert_indices_where_add_returned_false"]);
    EXPECT_EQ(ask({"GET", name}).text, bytes) << name;
    expect_answers(*ours, each, make, each["probe_indices_reported_present"]);
  }
  EXPECT_GE(tested, 4);
}

TEST_F(LiveFilter, OfSystemsWithoutConfigurationIsReadAndWrittenBitForBit) {
  const auto test = [&](const std::string& format, const json& each, const std::string& settings,
                        const std::string& key, const MakeKey& make, const std::string& bytes,
                        const json& positives) {
    const std::string string = format == "pyrebloom" ? key + ".0" : key;
    ask({"SET", string, bytes});
    expect_answers(*open(format, key, settings), each, make, positives);
    ask({"DEL", string});
    fill(*open(format, key, settings), each, make);
    EXPECT_EQ(ask({"GET", string}).text, bytes) << format;
  };
  for (const json& each : golden::read("gozero.json")["filters"]) {
    test("gozero", each, "?bits=" + std::to_string(each["bits"].get<int>()), "gz",
         text_keys(each["key_pattern"]),
         golden::bytes_of_base64(each["string_b64"].get<std::string>()),
         each["probe_indices_reported_present"]);
  }
  for (const json& each : golden::read("scrapy.json")["filters"]) {
    test("scrapy", each,
         "?bit=" + each["bit"].dump() + "&hash_number=" + each["hash_number"].dump(),
         "spider:bloomfilter", text_keys(each["key_pattern"]),
         golden::bytes_of_base64(each["string_b64"].get<std::string>()),
         each["probe_indices_reported_present"]);
  }
  for (const json& each : golden::read("pyrebloom.json")["filters"]) {
    if (each["num_keys"] != 1 || !each.contains("string_b64")) continue;
    test("pyrebloom", each,
         "?bits=" + std::to_string(each["bits"].get<int>()) +
             "&probes=" + std::to_string(each["hashes"].get<int>()),
         "pb", text_keys(each["key_pattern"]),
         golden::bytes_of_base64(each["string_b64"].get<std::string>()),
         each["probe_indices_reported_present"]);
  }
}

TEST_F(LiveFilter, OfOrestesIsReadAndWrittenBitForBit) {
  int tested = 0;
  for (const json& each : golden::read("orestes.json")["redis_filters"]) {
    ++tested;
    const std::string name = each["config_key"];
    const std::string bits = each["bits_key"];
    const std::string bytes = golden::bytes_of_base64(each["bits_b64"].get<std::string>());
    const MakeKey make = text_keys(each["key_pattern"]);
    for (const auto& [field, value] : each["config_hash"].items()) {
      ask({"HSET", name, field, value.get<std::string>()});
    }
    ask({"SET", bits, bytes});
    const auto theirs = open("orestes", name);
    expect_answers(*theirs, each, make, each["probe_indices_reported_present"]);
    EXPECT_EQ(theirs->head().parameters.capacity, each["n"].get<std::uint64_t>());

    ask({"DEL", bits});
    const auto ours = open("orestes", name);
    EXPECT_EQ(json(fill(*ours, each, make)), each["insert_indices_where_add_returned_false"]);
    EXPECT_EQ(ask({"GET", bits}).text, bytes) << name;
    // Loaded at once it is the same bits, and the same configuration.
    const AnyFilter copy = ours->copy();
    ask({"DEL", name, bits});
    Client there(parse_location(at(name)));
    bulk_load(there, *find_format("orestes"), copy.contents(), {});
    EXPECT_EQ(ask({"GET", bits}).text.substr(0, bytes.size()), bytes);
    for (const auto& [field, value] : each["config_hash"].items()) {
      EXPECT_EQ(ask({"HGET", name, field}).text, value.get<std::string>());
    }
    EXPECT_EQ(ask({"HLEN", name}).number, 6);
    open("orestes", name)->destroy();
    EXPECT_EQ(ask({"DBSIZE"}).number, 0);
  }
  EXPECT_GE(tested, 2);
}

// Its program clears the bits of keys that it erases, whoever else has set them.
TEST_F(LiveFilter, OfOrestesWithCountersSaysNothingIsAbsentAndTakesNoKeys) {
  ask({"HSET", "f", "m", "1000", "k", "5", "hashmethod", "Murmur3KirschMitzenmacher"});
  const auto place = open("orestes", "f");
  place->insert("in");
  EXPECT_EQ(place->presence_of("out"), Presence::absent);
  ask({"HSET", "f:counts", std::string_view("\0\0\0\1", 4), "1"});
  EXPECT_EQ(place->presence_of("out"), Presence::unknown);
  EXPECT_THROW(place->insert("more"), StoreError);
  EXPECT_THROW(open("orestes", "f")->head(), StoreError);
  EXPECT_EQ(open("orestes", "f")->presence_of("out"), Presence::unknown);
  Client there(parse_location(at("f")));
  const AnyFilter filter = find_format("orestes")->create({.capacity = 10}, {});
  EXPECT_THROW(bulk_load(there, *find_format("orestes"), filter.contents(),
                         {.replace = true, .discard = true}),
               StoreError);
  ask({"HSET", "g", "m", "1000", "k", "5", "hashmethod", "MD5"});
  EXPECT_THROW(open("orestes", "g"), StoreError);
}

TEST_F(LiveFilter, OfThePhpClassAndTheJavaHelperIsWrittenBitForBit) {
  for (const json& each : golden::read("php_redis.json")["filters"]) {
    if (each["key_printf"] != "user:%d") continue;
    const std::string kilobytes = std::to_string(each["sizeInKB"].get<int>());
    fill(*open("php", "pb", "?size_kb=" + kilobytes), each, text_keys(each["key_printf"]));
    const std::string bytes = golden::bytes_of_base64(each["reset_string_b64"].get<std::string>());
    EXPECT_EQ(ask({"GET", "pb"}).text, bytes.substr(0, each["setbit_string_len"].get<int>()));
    ask({"DEL", "pb"});
  }
  for (const json& each : golden::read("jackxu_redis.json")["filters"]) {
    const std::string settings = "?bits=" + std::to_string(each["bitSize"].get<int>()) +
                                 "&probes=" + std::to_string(each["numHashFunctions"].get<int>());
    fill(*open("bloom-filter-helper", "h", settings), each, text_keys(each["key_pattern"]));
    EXPECT_EQ(ask({"GET", "h"}).text,
              golden::bytes_of_base64(each["redis_string_b64"].get<std::string>()));
    ask({"DEL", "h"});
  }
}

TEST_F(LiveFilter, ABatchIsOneTransaction) {
  init_redisson("f");
  const auto place = open("redisson", "f");
  std::vector<std::string> texts;
  for (int i = 0; i < 300; ++i) texts.push_back("key" + std::to_string(i));
  const std::vector<Key> keys(texts.begin(), texts.end());
  std::vector<Inserted> outcomes(keys.size());
  ask({"CONFIG", "RESETSTAT"});
  place->insert_many(keys, outcomes);
  EXPECT_EQ(calls("exec"), 1);
  EXPECT_EQ(calls("eval"), 1);
  EXPECT_EQ(calls("setbit"), 0);
  ask({"CONFIG", "RESETSTAT"});
  std::vector<Presence> answers(keys.size());
  place->presence_of_many(keys, answers);
  EXPECT_EQ(calls("exec"), 1);
  EXPECT_EQ(calls("bitfield_ro"), 1);
  EXPECT_EQ(calls("hmget"), 1);
  EXPECT_EQ(calls("getbit"), 0);
}

TEST_F(LiveFilter, SaysWhatWasNew) {
  init_redisson("f");
  const auto place = open("redisson", "f");
  const std::vector<Key> keys{"a", "b", "a"};
  std::vector<Inserted> outcomes(3);
  place->insert_many(keys, outcomes);
  EXPECT_EQ(outcomes, (std::vector{Inserted::added, Inserted::added, Inserted::present}));
}

TEST_F(LiveFilter, LargeBatchesAreCutIntoTransactionsAndTrips) {
  init_redisson("f", "4000000");
  const auto place = open("redisson", "f", "?timeout=60000");
  std::vector<std::string> texts;
  for (int i = 0; i < 14'400; ++i) texts.push_back("key" + std::to_string(i));
  const std::vector<Key> keys(texts.begin(), texts.end());
  place->insert_many(keys);
  for (const Presence answer : answers_of(*place, texts)) ASSERT_EQ(answer, Presence::maybe);
  for (std::string& text : texts) text += "x";
  int absent = 0;
  for (const Presence answer : answers_of(*place, texts)) absent += answer == Presence::absent;
  EXPECT_GE(absent, 14'300);
}

TEST_F(LiveFilter, SaysAbsentOnlyWhereItsBitsAreTrusted) {
  init_redisson("f");
  open("redisson", "f")->insert("in");
  const auto place = open_bitmap_place(redisson::kFormat, at("f"), false);
  EXPECT_EQ(place->presence_of("in"), Presence::maybe);
  EXPECT_EQ(place->presence_of("out"), Presence::unknown);
  EXPECT_EQ(place->head().no_absent, NoAbsent::bits_alone);
  EXPECT_NE(why(NoAbsent::bits_alone).find("trust=bits"), std::string_view::npos);
  EXPECT_EQ(open("redisson", "f")->head().no_absent, NoAbsent::none);
  EXPECT_EQ(
      open_bitmap_place(*find_format("gozero"), at("f", "?bits=80"), false)->presence_of("out"),
      Presence::unknown);
  EXPECT_THROW(open_bitmap_place(redisson::kFormat, at("f", "?trust=all"), false),
               std::invalid_argument);
}

TEST_F(LiveFilter, ACopyIsTheFilterOfOneMoment) {
  init_redisson("f");
  const auto place = open("redisson", "f");
  place->insert_many(std::vector<Key>{"a", "b"});
  const AnyFilter copy = place->copy();
  EXPECT_TRUE(copy.may_contain("a"));
  EXPECT_FALSE(copy.may_contain("c"));
  EXPECT_EQ(copy.parameters().geometry.bit_count, 9585U);
  EXPECT_EQ(copy.parameters().keys.encoding, find_key_encoding("kryo"));
  ask({"SETBIT", "f", "9584", "1"});  // long enough that a new one is no shorter
  place->insert("c");
  const std::string bytes(1'199, '\0');
  ask({"SET", "f", bytes});
  EXPECT_THROW(place->copy(), StoreError) << "not the one that was opened";
  ask({"DEL", "f"});
  EXPECT_THROW(open("redisson", "f")->copy(), StoreError) << "no bitmap";
}

TEST_F(LiveFilter, BehindAFenceSaysNothingIsAbsent) {
  init_redisson("f");
  const auto place = open("redisson", "f");
  place->insert("in");
  const Fence fence{{{.high = 1, .low = 1}, 1}};
  EXPECT_EQ(place->presence_of("out"), Presence::absent);
  EXPECT_EQ(place->presence_of("out", {.fence = &fence}), Presence::unknown);
  EXPECT_EQ(place->presence_of("in", {.fence = &fence}), Presence::maybe);
}

// Each of these is "absent" for the system's own program, or for one that asks bits alone.
TEST_F(LiveFilter, NeverSaysAbsentOfAFilterThatIsNotTheOneItOpened) {
  struct Doubt {
    const char* what;
    std::vector<std::vector<std::string_view>> commands;
  };
  const std::vector<Doubt> doubts{
      {"no bitmap", {{"DEL", "f"}}},
      {"no configuration", {{"DEL", "{f}:config"}}},
      {"part of a configuration", {{"HDEL", "{f}:config", "size"}}},
      {"another size", {{"HSET", "{f}:config", "size", "9586"}}},
      {"the same size otherwise written", {{"HSET", "{f}:config", "size", "09585"}}},
      {"another number of probes", {{"HSET", "{f}:config", "hashIterations", "6"}}},
      {"another type of bitmap", {{"DEL", "f"}, {"LPUSH", "f", "x"}}},
      {"another type of configuration", {{"DEL", "{f}:config"}, {"SET", "{f}:config", "x"}}},
      {"an empty bitmap", {{"SET", "f", ""}}},
      {"a new bitmap that is shorter", {{"DEL", "f"}, {"SETBIT", "f", "5", "1"}}},
      {"a new bitmap of the same length", {{"SET", "f", ""}, {"SETBIT", "f", "9584", "1"}}},
      {"everything gone", {{"FLUSHALL"}}},
      {"a primary that became a replica", {{"REPLICAOF", "127.0.0.1", "1"}}},
  };
  for (const Doubt& doubt : doubts) {
    ask({"REPLICAOF", "NO", "ONE"});
    ask({"FLUSHALL"});
    init_redisson("f");
    const auto place = open("redisson", "f");
    std::vector<std::string> in;
    for (int i = 0; i < 200; ++i) in.push_back("in" + std::to_string(i));
    place->insert_many(std::vector<Key>(in.begin(), in.end()));
    ASSERT_EQ(place->presence_of("out"), Presence::absent) << doubt.what;
    for (const auto& command : doubt.commands) client_->run(Request().add(command), Repeat::never);
    for (const Presence answer : answers_of(*place, in)) {
      ASSERT_NE(answer, Presence::absent) << doubt.what;
    }
    EXPECT_EQ(place->presence_of("out"), Presence::unknown) << doubt.what;
    EXPECT_THROW(place->head(), StoreError) << doubt.what;
    EXPECT_THROW(place->insert("x"), StoreError) << doubt.what;
  }
}

TEST_F(LiveFilter, NeverSaysAbsentOfABitmapThatIsLongerThanItsSettingsAllow) {
  std::vector<std::string> in;
  for (int i = 0; i < 200; ++i) in.push_back("in" + std::to_string(i));
  open("gozero", "f", "?bits=20000")->insert_many(std::vector<Key>(in.begin(), in.end()));
  for (const std::string settings : {"?bits=10000", "?bits=80"}) {
    const auto place = open("gozero", "f", settings);
    for (const Presence answer : answers_of(*place, in)) ASSERT_NE(answer, Presence::absent);
    EXPECT_THROW(place->head(), StoreError);
    EXPECT_THROW(place->insert("x"), StoreError);
  }
}

TEST_F(LiveFilter, NoBitIsSetInABitmapThatIsNotTheOneThatWasOpened) {
  init_redisson("f");
  const auto large = open("redisson", "f");
  large->insert("in");
  const std::string whole = ask({"GET", "f"}).text;
  ask({"DEL", "f", redisson::config_key("f")});
  init_redisson("f", "100", "3");
  open("redisson", "f")->insert("in");
  const std::string smaller = ask({"GET", "f"}).text;
  EXPECT_THROW(large->insert("x"), StoreError);
  EXPECT_EQ(ask({"GET", "f"}).text, smaller);

  // Also where nothing stands beside it: what is shorter than it was is another one.
  ask({"SET", "g", whole});
  const auto bare = open("gozero", "g", "?bits=20000");
  ask({"SET", "g", smaller});
  EXPECT_THROW(bare->insert("x"), StoreError);
  EXPECT_EQ(ask({"GET", "g"}).text, smaller);
}

TEST_F(LiveFilter, WhatIsLostAfterTheOpeningIsNoticedByTheFirstQuestion) {
  std::vector<std::string> in;
  for (int i = 0; i < 200; ++i) in.push_back("in" + std::to_string(i));
  open("gozero", "f", "?bits=20000")->insert_many(std::vector<Key>(in.begin(), in.end()));
  for (const std::string_view bit : {"9", "19999"}) {
    const auto place = open("gozero", "f", "?bits=20000");
    ask({"DEL", "f"});
    ask({"SETBIT", "f", bit, "1"});
    for (const Presence answer : answers_of(*place, in)) ASSERT_NE(answer, Presence::absent);
    ask({"DEL", "f"});
    open("gozero", "f", "?bits=20000")->insert_many(std::vector<Key>(in.begin(), in.end()));
  }
}

TEST_F(LiveFilter, ALostFilterStaysLostHoweverItIsFilledAgain) {
  init_redisson("f");
  const auto place = open("redisson", "f");
  place->insert("in");
  const std::string bytes = ask({"GET", "f"}).text;
  ask({"DEL", "f"});
  EXPECT_EQ(place->presence_of("in"), Presence::unknown);
  ask({"SET", "f", bytes});
  EXPECT_EQ(place->presence_of("in"), Presence::maybe);
  EXPECT_EQ(place->presence_of("out"), Presence::unknown);
  EXPECT_EQ(open("redisson", "f")->presence_of("out"), Presence::absent) << "opened again";
}

TEST_F(LiveFilter, AReplicaMayBeAllowed) {
  init_redisson("f");
  open("redisson", "f")->insert("in");
  ask({"CONFIG", "SET", "replica-serve-stale-data", "yes"});
  ask({"REPLICAOF", "127.0.0.1", "1"});
  EXPECT_EQ(open("redisson", "f")->presence_of("out"), Presence::unknown);
  EXPECT_EQ(open("redisson", "f", "?replica=1")->presence_of("out"), Presence::absent);
  EXPECT_THROW(open("redisson", "f", "?replica=1")->insert("x"), RefusedError);
}

TEST_F(LiveFilter, WhatTheServerRefusesThrowsAndLeavesUnknown) {
  init_redisson("f");
  ask({"ACL", "SETUSER", "reader", "on", ">pw", "~f", "~{f}:config", "+multi", "+exec", "+echo",
       "+role", "+strlen", "+hmget", "+bitfield_ro"});
  const std::string user = "?user=reader&password_env=BLOOMERY_TEST_READER";
  setenv("BLOOMERY_TEST_READER", "pw", 1);
  open("redisson", "f")->insert("in");
  const auto place = open("redisson", "f", user);
  EXPECT_EQ(place->presence_of("in"), Presence::maybe);
  EXPECT_EQ(place->presence_of("out"), Presence::absent) << "the least rights suffice";
  const auto refusal = [&](auto call) -> std::optional<Refusal> {
    try {
      call();
    } catch (const RefusedError& error) {
      return error.refusal;
    }
    return std::nullopt;
  };
  EXPECT_EQ(refusal([&] { place->insert("x"); }), Refusal::no_permission);
  ask({"ACL", "SETUSER", "reader", "-role"});
  const Key key = "out";
  Presence answer = Presence::unknown;
  EXPECT_EQ(refusal([&] {
              place->presence_of_many({&key, 1}, {&answer, 1});
            }),
            Refusal::no_permission);
  EXPECT_EQ(answer, Presence::unknown);
}

TEST_F(LiveFilter, IsRefusedWhereThereIsNone) {
  EXPECT_THROW(open("redisson", "f"), StoreError) << "no configuration";
  init_redisson("f", "0");
  EXPECT_THROW(open("redisson", "f"), StoreError);
  init_redisson("f", "4294967295");
  EXPECT_THROW(open("redisson", "f"), StoreError);
  init_redisson("f", "100", "256");
  EXPECT_THROW(open("redisson", "f"), StoreError);
  init_redisson("f");
  EXPECT_THROW(open("redisson", "f", "?legacy=1"), std::invalid_argument);
  EXPECT_THROW(open("gozero", "f"), std::invalid_argument) << "no bits";
  EXPECT_THROW(open("gozero", "f", "?bits=4294967297"), std::invalid_argument);
  EXPECT_THROW(open("php", "f", "?size_kb=1&bits=7"), std::invalid_argument);
  EXPECT_THROW(open("pyrebloom", "f", "?bits=4294967296&probes=3"), std::invalid_argument);
  EXPECT_THROW(open("guava", "f"), std::invalid_argument);
  EXPECT_THROW(open("redisson", "f", "", false)->insert("x"), std::invalid_argument);
}

TEST_F(LiveFilter, ThreadsMayAskAndInsertTogether) {
  init_redisson("f", "1000000");
  const auto place = open("redisson", "f", "?connections=4");
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 40; ++i) {
        const std::string key = std::to_string(t) + "/" + std::to_string(i);
        place->insert(key);
        EXPECT_EQ(place->presence_of(key), Presence::maybe);
        EXPECT_NE(place->presence_of(key + "x"), Presence::unknown);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_F(LiveFilter, SingleQuestionsOfManyThreadsShareTrips) {
  init_redisson("f", "1000000");
  const auto place = open("redisson", "f");
  for (int i = 0; i < 32; ++i) place->insert("in" + std::to_string(i));
  ask({"CONFIG", "RESETSTAT"});
  // So that all have come before the first trip is back, however busy the machine is.
  ask({"CLIENT", "PAUSE", "400", "ALL"});
  run_threads(64, [&](int t) {
    const std::string number = std::to_string(t / 2);
    EXPECT_EQ(place->presence_of((t % 2 == 0 ? "in" : "out") + number),
              t % 2 == 0 ? Presence::maybe : Presence::absent);
  });
  const int trips = calls("exec");
  EXPECT_LT(trips, 64 / 2);
  EXPECT_EQ(calls("bitfield_ro"), trips);
  ask({"DEL", "f"});
  run_threads(8, [&](int t) {
    EXPECT_EQ(place->presence_of("in" + std::to_string(t)), Presence::unknown);
  });
}

}  // namespace
}  // namespace bloomery::redis
