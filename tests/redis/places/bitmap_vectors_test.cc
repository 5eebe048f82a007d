// SPDX-License-Identifier: Apache-2.0
// Filters that other systems' programs wrote are read and written bit for bit where they live.

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "bloomery/redis/places/bulk_load.h"
#include "tests/format/foreign_vectors.h"
#include "tests/redis/places/live_filter_fixture.h"
#include "tests/support/golden.h"

namespace bloomery::redis {
namespace {

using golden::MakeKey;
using golden::text_keys;
using nlohmann::json;

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

// Inserts the keys, and returns those that were not new.
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
  for (const json& each : golden::read("scrapy.json")["md5_filters"]) {
    test("scrapy", each,
         "?hash=md5&bit=" + each["bit"].dump() + "&hash_number=" + each["hash_number"].dump(),
         "bloomfilter0", text_keys(each["key_pattern"]),
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

// Orestes' program clears the bits of keys that it erases, whoever else has set them.
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
  EXPECT_THROW(
      bulk_load(there, *find_format("orestes"), filter.contents(), {.old = OldFilter::drop}),
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

}  // namespace
}  // namespace bloomery::redis
