// SPDX-License-Identifier: Apache-2.0
#include "bloomery/format/leveldb.h"

#include <gtest/gtest.h>

#include "bloomery/errors.h"
#include "bloomery/filter/rates.h"
#include "bloomery/format/kinds.h"
#include "tests/format/foreign_vectors.h"
#include "tests/support/binomial.h"
#include "tests/support/golden.h"

using namespace bloomery;
using namespace bloomery::golden;
using nlohmann::json;

namespace {

AnyFilter make(std::uint64_t keys, std::uint64_t bits_per_key) {
  return leveldb_format::kFormat.create({.capacity = std::max<std::uint64_t>(keys, 1)},
                                        {{"bits_per_key", std::to_string(bits_per_key)}});
}

TEST(LevelDb, WritesAndAnswersAsTheLibraryDid) {
  for (const json& each : golden::read("leveldb.json")["filters"]) {
    SCOPED_TRACE(each.dump());
    const std::string theirs = bytes_of_hex(each["filter_hex"]);
    if (each.contains("keys_hex")) {
      const auto texts = each["keys_hex"].get<std::vector<std::string>>();
      AnyFilter filter = make(texts.size(), each["bits_per_key"]);
      for (const std::string& key : texts) filter.insert(bytes_of_hex(key));
      EXPECT_EQ(written_as(leveldb_format::kFormat, filter), theirs);
      continue;
    }
    const MakeKey key = text_keys(each["key_pattern"]);
    const std::int64_t to = each["insert_to_exclusive"];
    AnyFilter filter = make(static_cast<std::uint64_t>(to), each["bits_per_key"]);
    insert_all(filter, key, each["insert_from"], to);
    EXPECT_EQ(written_as(leveldb_format::kFormat, filter), theirs);
    const AnyFilter read = leveldb_format::decode(bytes_of(theirs));
    EXPECT_EQ(each["probe_indices_reported_present"],
              present(read, key, each["probe_from"], each["probe_to_exclusive"]));
    EXPECT_EQ(present(read, key, each["insert_from"], to).size(), static_cast<std::size_t>(to));
    EXPECT_EQ(written_as(leveldb_format::kFormat, read), theirs);
  }
}

TEST(LevelDb, HoldsNothingInFewerThanTwoBytes) {
  for (const std::string& bytes : {std::string(), std::string("\x06"), std::string("\x1f")}) {
    const AnyFilter filter = leveldb_format::decode(bytes_of(bytes));
    EXPECT_FALSE(filter.may_contain("")) << bytes.size();
    EXPECT_FALSE(filter.may_contain("a")) << bytes.size();
  }
}

TEST(LevelDb, AnswersMaybeWhereTheProbeCountIsReserved) {
  for (const std::string& bytes :
       {std::string(9, '\0'), std::string(3, '\x1f'), std::string(9, '\0') + "\xff"}) {
    const AnyFilter filter = leveldb_format::decode(bytes_of(bytes));
    EXPECT_TRUE(filter.may_contain("anything")) << bytes.size();
    EXPECT_TRUE(leveldb_format::decode(bytes_of(written_as(leveldb_format::kFormat, filter)))
                    .may_contain("anything"));
  }
}

TEST(LevelDb, KeepsTheRateItIsCreatedFor) {
  for (const double rate : {0.3, 0.01, 0.0001}) {
    AnyFilter filter =
        leveldb_format::kFormat.create({.capacity = 20'000, .false_positive_rate = rate}, {});
    insert_all(filter, text_keys("member %d"), 0, 20'000);
    const auto positives = present(filter, text_keys("stranger %d"), 0, 200'000).size();
    EXPECT_LE(static_cast<double>(positives), bloomery::testing::binomial_upper(200'000, rate))
        << rate;
  }
}

// At many keys most false positives are keys with the very hash of another, which no number of bits
// tells apart.
TEST(LevelDb, SaysTheRateOfManyKeys) {
  constexpr std::int64_t kKeys = 2'000'000;
  constexpr std::int64_t kStrangers = 1'000'000;
  for (const std::uint64_t bits_per_key : {10, 24}) {
    SCOPED_TRACE(bits_per_key);
    AnyFilter filter = make(kKeys, bits_per_key);
    insert_all(filter, text_keys("member %d"), 0, kKeys);
    const auto found =
        static_cast<double>(present(filter, text_keys("stranger %d"), 0, kStrangers).size());
    const double predicted = kind_of(FilterKind::leveldb).rate(filter.parameters(), kKeys);
    if (bits_per_key == 24) {
      EXPECT_GT(predicted, 40 * predicted_rate(filter.geometry(), kKeys));
    }
    // The rate of the keys comes from a formula that takes probes for independent, the rate of the
    // bits from a trial.
    EXPECT_NEAR(found / kStrangers / predicted, 1, 0.2);
    EXPECT_NEAR(found / kStrangers / filter.predicted_rate(), 1, 0.2);
  }
}

TEST(LevelDb, RefusesWhatItsHashCannotTellApart) {
  const auto create = [](FilterOptions options, const FormatSettings& settings) {
    return leveldb_format::kFormat.create(options, settings);
  };
  EXPECT_THROW(create({.capacity = 100'000'000, .false_positive_rate = 0.01}, {}),
               std::invalid_argument);
  EXPECT_THROW(create({.capacity = 1000}, {{"bits_per_key", "0"}}), std::invalid_argument);
  EXPECT_THROW(create({.capacity = std::uint64_t{1} << 62}, {{"bits_per_key", "10"}}),
               std::invalid_argument);
}

}  // namespace
