// SPDX-License-Identifier: Apache-2.0
// Redisson's own bitmaps and config hashes, recorded from a server.
#include "bloomery/format/redisson.h"

#include <gmock/gmock.h>
#include <cmath>

#include "bloomery/errors.h"
#include "bloomery/format/redisson_probes.h"
#include "bloomery/text/kryo.h"
#include "tests/format/foreign_vectors.h"
#include "tests/support/golden.h"
#include "tests/support/utf16.h"

using namespace bloomery;
using namespace bloomery::golden;
using nlohmann::json;

namespace {

const json& redisson_vectors() {
  static const json all = golden::read("redisson.json");
  return all;
}

MakeKey redisson_keys(const json& filter) {
  const std::string codec = filter["codec"];
  const std::string pattern = filter["key_pattern"];
  if (pattern == "java.lang.Long i" && codec == "LongCodec") {
    return [](std::int64_t i) { return std::to_string(i); };
  }
  if (pattern == "java.lang.Long i") return [](std::int64_t i) { return kryo_long(i); };
  const MakeKey text = text_keys(pattern);
  if (codec == "StringCodec") return text;
  return [text](std::int64_t i) { return kryo_string(text(i)); };
}

TEST(Redisson, HashesAsRedissonDoes) {
  const RedissonProbes probes{FilterParameters{}};
  for (const json& each : redisson_vectors()["hash128"]) {
    const HashPair hash = probes.hash(bytes_of_hex(each["in_hex"]));
    EXPECT_EQ(hash.h1, number_of_hex(each["h0"])) << each;
    EXPECT_EQ(hash.h2, number_of_hex(each["h1"])) << each;
  }
}

TEST(Redisson, ProbesAsRedissonDoes) {
  for (const json& each : redisson_vectors()["indexes"]) {
    const HashPair hash{number_of_hex(each["h0"]), number_of_hex(each["h1"])};
    for (const json& set : each["index_sets"]) {
      for (std::uint32_t i = 0; i < set["k"]; ++i) {
        EXPECT_EQ(RedissonProbes::position(hash, i, set["size"].get<std::uint64_t>()),
                  set["indexes"][i].get<std::uint64_t>());
      }
    }
  }
}

TEST(Redisson, SizesAsTryInitDoes) {
  for (const json& each : redisson_vectors()["tryInit_sizing"]) {
    SCOPED_TRACE(each.dump());
    const double n = each["n"];
    const double p = each["p"];
    if (n < 0 || p == 0) continue;  // a negative size, and 1074 probes: not filters
    if (each["tryInit"] != "returned true") {
      EXPECT_THROW(redisson::config_for(each["n"], p), std::invalid_argument);
      continue;
    }
    EXPECT_EQ(redisson::settings_of(redisson::config_for(each["n"], p)),
              settings_of(each["config_hash"]));
  }
}

TEST(Redisson, FillsFiltersToTheSameBytesAndAnswers) {
  for (const json& each : redisson_vectors()["filters"]) {
    SCOPED_TRACE(each["name"].get<std::string>());
    const FormatSettings settings = settings_of(each["config_hash"]);
    EXPECT_EQ(each["config_key"], redisson::config_key(each["name"].get<std::string>()));
    AnyFilter filter = redisson::kFormat.decode({}, settings);
    EXPECT_EQ(redisson::kFormat.settings_of(filter.contents()), settings);
    const MakeKey make = redisson_keys(each);
    const auto old = insert_all(filter, make, each["insert_from"], each["insert_to_exclusive"]);
    EXPECT_EQ(each["insert_indices_where_add_returned_false"], old);
    const auto positives = present(filter, make, each["probe_from"], each["probe_to_exclusive"]);
    EXPECT_EQ(each["probe_indices_reported_present"], positives);
    EXPECT_EQ(redisson::count(filter), each["count"]);

    const auto bytes = encode(redisson::kFormat, filter.contents());
    EXPECT_EQ(bytes.size(), each["string_len"]);
    if (!each.contains("string_b64")) continue;
    const std::string theirs = bytes_of_base64(each["string_b64"].get<std::string>());
    EXPECT_TRUE(text_of(bytes) == theirs);
    const AnyFilter read = redisson::kFormat.decode(bytes_of(theirs), settings);
    EXPECT_EQ(present(read, make, each["probe_from"], each["probe_to_exclusive"]), positives);
  }
}

TEST(Redisson, AsksOneProbeLessAsOldReadersDo) {
  const auto config = redisson::config_for(500, 0.1);  // three probes
  AnyFilter legacy = redisson::create(config, true);
  AnyFilter current = redisson::create(config);
  const MakeKey make = text_keys("key:%d");
  EXPECT_EQ(insert_all(legacy, make, 0, 500), insert_all(current, make, 0, 500));
  EXPECT_EQ(encode(redisson::kFormat, legacy.contents()),
            encode(redisson::kFormat, current.contents()));
  std::vector<std::int64_t> all_but_last;
  for (std::int64_t i = 1000; i < 9000; ++i) {
    const auto probes = current.probes(current.hash(make(i)));
    if (probes[0].set && probes[1].set) all_but_last.push_back(i);
  }
  EXPECT_EQ(present(legacy, make, 1000, 9000), all_but_last);
  EXPECT_GT(all_but_last.size(), present(current, make, 1000, 9000).size());
}

// Real filters are filled and asked.
TEST(Redisson, PredictsWhatItsRuleReallyDoes) {
  std::vector<redisson::Config> configs;
  for (const double rate : {0.03, 0.01, 0.001}) {
    configs.push_back(redisson::config_for(20'000, rate));
  }
  // Sizes with small factors have the worst rates: three times and more what was asked.
  configs.push_back({383'400, 13, 20'000, 0.0001});
  for (const auto& config : configs) {
    const double rate = config.false_probability;
    const double expected = redisson::expected_rate(config.size, config.hash_iterations, 20'000);
    EXPECT_GT(expected, (rate < 0.001 ? 3 : 1.1) * rate);
    AnyFilter filter = redisson::create(config);
    const MakeKey make = text_keys("key:%d");
    insert_all(filter, make, 0, 20'000);
    const auto hits = static_cast<double>(present(filter, make, 1'000'000, 1'100'000).size());
    const double deviation = std::sqrt(100'000 * expected);
    EXPECT_NEAR(hits, 100'000 * expected, 4 * deviation + 0.03 * 100'000 * expected) << rate;
    EXPECT_NEAR(filter.predicted_rate(), expected, 0.06 * expected) << "of its bits, " << rate;
  }
}

TEST(Redisson, KeepsTheRateWhereOversized) {
  for (const double rate : {0.03, 0.001}) {
    const auto config = redisson::oversized_config(5'000, rate);
    EXPECT_LE(redisson::expected_rate(config.size, config.hash_iterations, 5'000), rate);
    EXPECT_LT(config.size * 10, redisson::config_for(5'000, rate).size * 13);
    AnyFilter filter = redisson::create(config);
    const MakeKey make = text_keys("key:%d");
    insert_all(filter, make, 0, 5'000);
    const auto hits = static_cast<double>(present(filter, make, 1'000'000, 1'100'000).size());
    EXPECT_LE(hits, 1.03 * 100'000 * rate + 4 * std::sqrt(100'000 * rate));
  }
}

TEST(Redisson, RefusesConfigsThatCannotBe) {
  const auto refused = [](const FormatSettings& settings) {
    EXPECT_THROW(redisson::kFormat.decode({}, settings), std::invalid_argument);
  };
  refused({});
  refused({{"size", "0"}, {"hashIterations", "5"}});
  refused({{"size", "-36"}, {"hashIterations", "5"}});
  refused({{"size", "4294967295"}, {"hashIterations", "5"}});
  refused({{"size", "100"}, {"hashIterations", "256"}});
  refused({{"size", "100"}, {"hashIterations", "5"}, {"colour", "red"}});
  EXPECT_THROW(redisson::kFormat.decode(bytes_of(std::string(14, 'x')),
                                        {{"size", "100"}, {"hashIterations", "5"}}),
               FormatError);
  EXPECT_THROW(redisson::kFormat.decode(bytes_of(std::string(13, 'x')),
                                        {{"size", "100"}, {"hashIterations", "5"}}),
               FormatError);  // bits beyond 100 are set
}

}  // namespace
