// SPDX-License-Identifier: Apache-2.0
#include "bloomery/format/parquet.h"

#include <gtest/gtest.h>

#include <array>

#include "bloomery/errors.h"
#include "bloomery/filter/rates.h"
#include "tests/format/foreign_vectors.h"
#include "tests/support/binomial.h"

using namespace bloomery;
using namespace bloomery::golden;
using ::testing::HasSubstr;

namespace {

// "a0" to "a9" as parquet-mr writes them, under the header of 32 bytes: a published example of
// other implementations.
constexpr std::array<unsigned char, 47> kPublished{
    21,  64, 28, 28, 0,  0,  28,  28, 0,  0,   28, 28,  0,  0,  0,  200,
    1,   80, 20, 64, 68, 8,  109, 6,  37, 4,   67, 144, 80, 96, 32, 8,
    132, 43, 33, 0,  5,  99, 65,  2,  0,  224, 44, 64,  78, 96, 4};

std::string published() {
  return {reinterpret_cast<const char*>(kPublished.data()), kPublished.size()};
}

TEST(Parquet, SetsTheBitsOfThePublishedExample) {
  AnyFilter filter = parquet::decode(bytes_of(std::string(published())));
  EXPECT_EQ(present(filter, text_keys("a%d"), 0, 10).size(), 10U);
  const std::string theirs = written_as(parquet::kFormat, filter);
  EXPECT_EQ(theirs, published());
  filter.clear();
  insert_all(filter, text_keys("a%d"), 0, 10);
  EXPECT_EQ(written_as(parquet::kFormat, filter), theirs);
}

TEST(Parquet, SizesToPowersOfTwoAsArrowDoes) {
  // Bits of the specification's formula: 96, 968, 9681, 96815 and 968152 for 1 %.
  for (const auto& [keys, bytes] : std::map<std::uint64_t, std::uint64_t>{
           {10, 32}, {100, 128}, {1000, 2048}, {10'000, 16'384}, {100'000, 131'072}}) {
    const Geometry geometry = created(parquet::kFormat, keys, 0.01).geometry();
    EXPECT_GE(geometry.bit_count, 8 * bytes) << keys;
    EXPECT_LE(predicted_rate(geometry, static_cast<double>(keys)), 0.01) << keys;
    EXPECT_EQ(geometry.bit_count & (geometry.bit_count - 1), 0U) << keys;
  }
  EXPECT_EQ(created(parquet::kFormat, 1000, 0.01).geometry().bit_count, 8U * 2048);
  EXPECT_EQ(created(parquet::kFormat, 1, 0.5).geometry().bit_count, 256U);
  EXPECT_THROW(created(parquet::kFormat, 1'000'000'000, 0.01), std::invalid_argument);
}

TEST(Parquet, KeepsTheRateItIsCreatedForAndPredictsIt) {
  for (const double rate : {0.1, 0.01, 0.001}) {
    AnyFilter filter = created(parquet::kFormat, 24'000, rate);
    insert_all(filter, text_keys("member %d"), 0, 24'000);
    const auto positives =
        static_cast<double>(present(filter, text_keys("stranger %d"), 0, 200'000).size());
    EXPECT_LE(positives, bloomery::testing::binomial_upper(200'000, rate)) << rate;
    EXPECT_LE(positives, bloomery::testing::binomial_upper(200'000, filter.predicted_rate()))
        << rate;
    EXPECT_NEAR(filter.cardinality(), 24'000, 500) << rate;
    EXPECT_NEAR(static_cast<double>(
                    parquet::decode(bytes_of(written_as(parquet::kFormat, filter))).inserted()),
                24'000, 500);
  }
}

TEST(Parquet, AnswersBatchesInFiltersBeyondTheCacheAsOneByOne) {
  AnyFilter filter = created(parquet::kFormat, 1'500'000, 0.01);
  ASSERT_GE(filter.contents().words.front().size_bytes(), std::size_t{2} << 20);
  insert_all(filter, text_keys("member %d"), 0, 1999);
  AnyFilter singly = created(parquet::kFormat, 1'500'000, 0.01);
  for (int i = 0; i < 1999; ++i) singly.insert("member " + std::to_string(i));
  EXPECT_TRUE(std::ranges::equal(filter.contents().words.front(), singly.contents().words.front()));
  EXPECT_EQ(present(filter, text_keys("member %d"), 1000, 2500).size(), 999U);
}

TEST(Parquet, ReadsAnyNumberOfBlocks) {
  const std::string header = published().substr(0, 15);
  std::string three = header + std::string(96, '\0');
  three[1] = static_cast<char>(192);
  three.insert(2, 1, '\x01');
  AnyFilter filter = parquet::decode(bytes_of(three));
  EXPECT_EQ(filter.geometry().bit_count, 768U);
  EXPECT_EQ(written_as(parquet::kFormat, filter), three);
  insert_all(filter, text_keys("key %d"), 0, 30);
  EXPECT_EQ(present(filter, text_keys("key %d"), 0, 30).size(), 30U);
}

TEST(Parquet, ReadsAHeaderInTheLongForm) {
  // Field ids written_as out, as Thrift allows, where the short form is a step from the one before.
  const std::string header("\x05\x02\x40\x1c\x1c\0\0\x1c\x1c\0\0\x1c\x1c\0\0\0", 16);
  const AnyFilter filter = parquet::decode(bytes_of(header + published().substr(15)));
  EXPECT_EQ(written_as(parquet::kFormat, filter), published());
}

TEST(Parquet, NamesWhatItRefuses) {
  const std::string good = published();
  const auto with = [&](std::size_t at, int byte) {
    std::string bytes = good;
    bytes[at] = static_cast<char>(byte);
    return refusal(parquet::kFormat, bytes);
  };
  EXPECT_THAT(refusal(parquet::kFormat, "PAR1...."), HasSubstr("whole Parquet file"));
  EXPECT_THAT(refusal(parquet::kFormat, good.substr(0, 46)), HasSubstr("blocks at byte 15"));
  EXPECT_THAT(refusal(parquet::kFormat, good + "x"), HasSubstr("1 bytes follow"));
  EXPECT_THAT(refusal(parquet::kFormat, ""), HasSubstr("at byte 0"));
  EXPECT_THAT(with(1, 62), HasSubstr("numBytes"));
  EXPECT_THAT(with(1, 65), HasSubstr("negative"));
  EXPECT_THAT(with(1, 0), HasSubstr("blocks of 32"));
  EXPECT_THAT(with(3, 0x2c), HasSubstr("algorithm at byte 3: not BLOCK"));
  EXPECT_THAT(with(7, 0x2c), HasSubstr("hash at byte 7: not XXHASH"));
  EXPECT_THAT(with(11, 0x2c), HasSubstr("compression at byte 11: not UNCOMPRESSED"));
  EXPECT_THAT(with(0, 0x16), HasSubstr("numBytes"));
  EXPECT_THAT(with(0, 0x55), HasSubstr("number 5"));
  EXPECT_THAT(with(10, 0), HasSubstr("compression"));
}

}  // namespace
