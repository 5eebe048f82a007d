// SPDX-License-Identifier: Apache-2.0
#include "bloomery/format/rocksdb.h"

#include <gtest/gtest.h>

#include "bloomery/errors.h"
#include "tests/format/foreign_vectors.h"
#include "tests/support/binomial.h"
#include "tests/support/golden.h"

using namespace bloomery;
using namespace bloomery::golden;
using nlohmann::json;
using ::testing::HasSubstr;

namespace {

AnyFilter create(std::uint64_t capacity, const std::string& bits_per_key) {
  return rocksdb_format::kFormat.create({.capacity = capacity}, {{"bits_per_key", bits_per_key}});
}

std::string written(const AnyFilter& filter) {
  return text_of(encode(rocksdb_format::kFormat, filter.contents()));
}

// Key i of the vectors: bytes of every value, of the wanted length.
std::string key_of(std::uint64_t i, std::size_t length) {
  std::string key(length, '\0');
  for (std::size_t at = 0; at < length; ++at) {
    key[at] = static_cast<char>((i * 0x9e3779b97f4a7c15 + at * 0xd1342543de82ef95) >> 56);
  }
  return key;
}

TEST(RocksDb, WritesAndAnswersAsTheLibraryDid) {
  for (const json& each : golden::read("rocksdb.json")["filters"]) {
    SCOPED_TRACE(each.dump());
    const auto make = [&](std::int64_t i) {
      const auto index = static_cast<std::uint64_t>(i);
      return key_of(index, each["shortest_key"].get<std::size_t>() +
                               index % each["key_lengths"].get<std::size_t>());
    };
    const std::int64_t keys = each["keys"];
    AnyFilter filter = create(static_cast<std::uint64_t>(keys), each["bits_per_key"]);
    insert_all(filter, make, 0, keys);
    const std::string theirs = bytes_of_hex(each["filter_hex"]);
    EXPECT_EQ(written(filter), theirs);
    const AnyFilter read = rocksdb_format::decode(bytes_of(theirs));
    EXPECT_EQ(each["false_positives_of_next_1000"], present(read, make, keys, keys + 1000));
    EXPECT_EQ(present(read, make, 0, keys).size(), static_cast<std::size_t>(keys));
  }
}

TEST(RocksDb, KeepsTheRateItIsCreatedForAndPredictsIt) {
  for (const double rate : {0.2, 0.01, 0.0001}) {
    AnyFilter filter =
        rocksdb_format::kFormat.create({.capacity = 20'000, .false_positive_rate = rate}, {});
    insert_all(filter, text_keys("member %d"), 0, 20'000);
    const auto positives =
        static_cast<double>(present(filter, text_keys("stranger %d"), 0, 200'000).size());
    EXPECT_LE(positives, bloomery::testing::binomial_upper(200'000, rate)) << rate;
    EXPECT_LE(positives, bloomery::testing::binomial_upper(200'000, filter.predicted_rate()))
        << rate;
    EXPECT_NEAR(filter.cardinality(), 20'000, 500) << rate;
  }
}

TEST(RocksDb, HoldsNothingInUpToFiveBytes) {
  for (std::size_t size = 0; size <= 5; ++size) {
    EXPECT_FALSE(rocksdb_format::decode(bytes_of(std::string(size, '\xff'))).may_contain("a"));
  }
}

TEST(RocksDb, NamesWhatItRefuses) {
  const std::string good = written(create(10, "10"));
  const auto with = [&](std::size_t at, int byte) {
    std::string bytes = good;
    bytes[at] = static_cast<char>(byte);
    return refusal(rocksdb_format::kFormat, bytes);
  };
  EXPECT_EQ(refusal(rocksdb_format::kFormat, good), "taken");
  EXPECT_THAT(with(64, 0xfe), HasSubstr("marker at byte 64: a Ribbon filter"));
  EXPECT_THAT(with(64, 6), HasSubstr("before format_version 5"));
  EXPECT_THAT(with(64, 0x90), HasSubstr("144 is reserved"));
  EXPECT_THAT(with(65, 1), HasSubstr("kind at byte 65"));
  EXPECT_THAT(with(66, 31), HasSubstr("probes at byte 66"));
  EXPECT_THAT(with(66, 0x26), HasSubstr("38; 1 to 30, in lines of 64"));
  EXPECT_THAT(with(68, 1), HasSubstr("end at byte 67"));
  EXPECT_THAT(refusal(rocksdb_format::kFormat, good.substr(1)), HasSubstr("whole lines of 64"));
  EXPECT_THROW(create(10, "0.5"), std::invalid_argument);
  EXPECT_THROW(create(10, "101"), std::invalid_argument);
  EXPECT_THROW(create(std::uint64_t{1} << 40, "10"), std::invalid_argument);
}

}  // namespace
