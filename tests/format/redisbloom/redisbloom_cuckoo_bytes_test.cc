// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "bloomery/errors.h"
#include "bloomery/format/rdb/module_value.h"
#include "bloomery/format/redisbloom/redisbloom_cuckoo_dump.h"
#include "bloomery/format/redisbloom/redisbloom_cuckoo_rdb.h"
#include "bloomery/format/redisbloom/redisbloom_hash_seed.h"
#include "tests/format/foreign_vectors.h"
#include "tests/format/redisbloom/redisbloom_bytes.h"

namespace bloomery::redisbloom {
namespace {

using golden::bytes_of;

CuckooFilter filled(const CuckooOptions& options, int items) {
  CuckooFilter filter(cuckoo_shape(options));
  CuckooWork work;
  for (int i = 0; i < items; ++i) filter.insert(std::to_string(i), work);
  return filter;
}

std::string text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void expect_same(const CuckooFilter& left, const CuckooFilter& right) {
  EXPECT_EQ(text(encode_cuckoo_header(left.shape())), text(encode_cuckoo_header(right.shape())));
  for (std::size_t i = 0; i < left.shape().sub_filters; ++i) {
    EXPECT_EQ(text(left.slots(i)), text(right.slots(i)));
  }
}

std::string values_of(const CuckooFilter& filter) {
  std::string bytes;
  rdb::ModuleWriter writer([&](std::span<const std::byte> piece) { bytes += text(piece); });
  write_cuckoo_value(filter, writer);
  writer.end();
  return bytes;
}

CuckooFilter read(const std::string& values, std::uint32_t version) {
  rdb::RdbCursor cursor(bytes_of(values), "a test");
  rdb::ModuleReader reader(cursor);
  CuckooFilter filter = read_cuckoo_value(reader, version);
  reader.expect_end();
  return filter;
}

// A server that loads many values goes on behind it.
TEST(CuckooValue, ThatIsRefusedIsReadToItsEnd) {
  const std::string slots(8, '\1');
  std::string values;
  for (const std::uint64_t each : {2, 4, 16, 0, 2, 0 /* iterations */, 1}) {
    testing::append_number(values, each);
  }
  for (int i = 0; i < 2; ++i) {
    testing::append_number(values, 4);
    values += '\5' + testing::plain_string(slots);
  }
  values += '\0';
  rdb::RdbCursor cursor(bytes_of(values), "a test");
  rdb::ModuleReader reader(cursor);
  EXPECT_THROW(read_cuckoo_value(reader, 4), FormatError);
  reader.expect_end();
  EXPECT_EQ(cursor.left(), 0U);
}

TEST(CuckooDump, HeaderHasItsFieldsInTheirPlaces) {
  const CuckooFilter filter =
      filled({.capacity = 64, .bucket_size = 3, .max_iterations = 500, .expansion = 2}, 100);
  std::string expected;
  testing::append(expected, std::uint64_t{100});
  testing::append(expected, std::uint64_t{32});
  testing::append(expected, std::uint64_t{0});
  testing::append(expected, filter.shape().sub_filters);
  for (const int each : {3, 500, 2}) {
    testing::append(expected, static_cast<std::uint16_t>(each));
  }
  EXPECT_EQ(text(encode_cuckoo_header(filter.shape())), expected);
  EXPECT_EQ(expected.size(), kCuckooHeaderBytes);
  EXPECT_EQ(decode_cuckoo_header(bytes_of(expected)).max_iterations, 500U);
}

// Loads `pieces`, of a position and slots each, under a header; the slots that came.
struct OldDump {
  CuckooFilter filter;
  CuckooPositions positions{};
  bool load(std::uint64_t position, std::span<const std::byte> slots) {
    const std::uint64_t end = position_in_slots(positions, filter.shape(), position, slots.size());
    return load_cuckoo_chunk(filter, end, slots);
  }
};
OldDump old_dump(const std::string& header) {
  CuckooPositions positions{};
  const CuckooShape shape = decode_any_cuckoo_header(bytes_of(header), positions);
  return {CuckooFilter(shape), positions};
}

TEST(CuckooDump, OfReleasesBefore22CountsBucketsOfTwo) {
  CuckooShape shape = cuckoo_shape({.capacity = 64});
  shape.hash = CuckooHash::murmur_32;
  CuckooFilter filter(shape);
  CuckooWork work;
  for (int i = 0; i < 300; ++i) filter.insert(std::to_string(i), work);
  CuckooShape plain = filter.shape();
  plain.hash = CuckooHash::murmur_64;  // they had no mark
  OldDump loaded = old_dump(text(encode_cuckoo_header(plain)).substr(0, 32));
  ASSERT_GT(plain.sub_filters, 4U);
  for (std::uint64_t i = 0; i < plain.sub_filters; ++i) {
    ASSERT_TRUE(loaded.load(1 + (i + 1) * plain.bucket_count, filter.slots(i))) << i;
  }
  expect_same(loaded.filter, filter);
  // Pieces within a sub-filter, as of larger ones.
  OldDump again = old_dump(text(encode_cuckoo_header(plain)).substr(0, 32));
  EXPECT_TRUE(again.load(1 + plain.bucket_count / 2, filter.slots(0).first(32)));
  EXPECT_TRUE(again.load(1 + plain.bucket_count, filter.slots(0).subspan(32)));
  EXPECT_EQ(text(again.filter.slots(0)), text(filter.slots(0)));
  for (const std::uint64_t wrong : {0U, 1U, 16U, 1000U}) {
    EXPECT_FALSE(again.load(wrong, filter.slots(0))) << wrong;
  }
}

TEST(CuckooDump, OfReleases22CountsBucketsOrSlotsAsItsFirstPieceDoes) {
  const CuckooFilter filter = filled({.capacity = 90, .bucket_size = 3}, 500);
  const CuckooShape& shape = filter.shape();
  const std::string header = text(encode_cuckoo_header(shape)) + "pointer.";
  ASSERT_EQ(header.size(), 46U);
  ASSERT_GT(shape.sub_filters, 3U);
  for (const std::uint64_t unit : {std::uint64_t{1}, shape.bucket_size}) {
    OldDump loaded = old_dump(header);
    EXPECT_FALSE(loaded.load(1 + 2 * filter.slots(0).size() / unit, filter.slots(0)));
    std::uint64_t position = 1;
    for (std::uint64_t i = 0; i < shape.sub_filters; ++i) {
      position += filter.slots(i).size() / unit;
      ASSERT_TRUE(loaded.load(position, filter.slots(i))) << unit << " " << i;
    }
    expect_same(loaded.filter, filter);
  }
}

TEST(CuckooDump, OfAServerWithAHashSeedIsRefusedByName) {
  const CuckooFilter filter = filled({.capacity = 64}, 100);
  const std::string header = text(encode_cuckoo_header(filter.shape()));
  CuckooPositions positions{};
  EXPECT_NO_THROW(decode_any_cuckoo_header(bytes_of(header + std::string(16, '\0')), positions));
  EXPECT_THROW(decode_any_cuckoo_header(bytes_of(header + std::string(16, '\1')), positions),
               HashSeedError);
  std::string values = values_of(filter);
  values.pop_back();
  testing::append_number(values, 0);
  std::string seeded = values;
  testing::append_number(values, 0);
  testing::append_number(seeded, 9);
  expect_same(read(values + '\0', 5), filter);
  EXPECT_THROW(read(seeded + '\0', 5), HashSeedError);
}

TEST(CuckooDump, GoesRoundInPiecesOfAnySize) {
  const CuckooFilter filter = filled({.capacity = 64, .expansion = 2}, 500);
  for (const std::uint64_t most : {1U, 7U, 64U, 100U, 1U << 24}) {
    CuckooFilter loaded(decode_cuckoo_header(encode_cuckoo_header(filter.shape())));
    std::uint64_t position = 1;
    for (;;) {
      const CuckooChunk chunk = cuckoo_chunk(filter, position, most);
      if (chunk.next == 0) break;
      ASSERT_EQ(chunk.next, position + chunk.slots.size());
      ASSERT_TRUE(load_cuckoo_chunk(loaded, chunk.next, chunk.slots));
      position = chunk.next;
    }
    EXPECT_EQ(position, 1 + slot_bytes(filter.shape()));
    expect_same(loaded, filter);
  }
}

TEST(CuckooDump, APositionWithinAWholeSubFilterGivesAllOfIt) {
  const CuckooFilter filter = filled({.capacity = 64}, 10);
  const CuckooChunk chunk = cuckoo_chunk(filter, 11);
  EXPECT_EQ(chunk.next, 11U + 64U);
  EXPECT_EQ(chunk.slots.size(), 64U);
  EXPECT_EQ(cuckoo_chunk(filter, 65).next, 0U);
  EXPECT_EQ(cuckoo_chunk(filter, ~std::uint64_t{0}).next, 0U);
}

TEST(CuckooDump, RefusesChunksThatAreNotOfOneSubFilter) {
  CuckooFilter filter = filled({.capacity = 64, .expansion = 2}, 200);
  const CuckooFilter before = filter.clone();
  const std::string slots(64, '\1');
  const auto loads = [&](std::uint64_t position, std::size_t size) {
    return load_cuckoo_chunk(filter, position, bytes_of(slots).first(size));
  };
  EXPECT_FALSE(loads(65, 0));
  EXPECT_FALSE(loads(0, 1));
  EXPECT_FALSE(loads(64, 64));
  EXPECT_FALSE(loads(66, 64));
  EXPECT_FALSE(loads(1 + slot_bytes(filter.shape()) + 64, 64));
  EXPECT_FALSE(loads(~std::uint64_t{0}, 64));
  expect_same(filter, before);
  EXPECT_TRUE(loads(65, 64));
  EXPECT_EQ(text(filter.slots(0)), slots);
}

TEST(CuckooDump, RefusesHeadersOfImpossibleFilters) {
  const std::string right = text(encode_cuckoo_header(filled({.capacity = 64}, 5).shape()));
  for (const std::size_t size : {0U, 1U, 37U}) {
    EXPECT_THROW(decode_cuckoo_header(bytes_of(right).first(size)), FormatError);
  }
  EXPECT_THROW(decode_cuckoo_header(bytes_of(right + "x")), FormatError);
  for (const std::size_t field : {8U, 24U, 32U, 34U}) {
    std::string zero = right;
    zero[field] = '\0';
    EXPECT_THROW(decode_cuckoo_header(bytes_of(zero)), FormatError) << field;
  }
  std::string three = right;
  three[36] = 3;
  EXPECT_THROW(decode_cuckoo_header(bytes_of(three)), FormatError);
}

TEST(CuckooValue, GoesRound) {
  for (const CuckooOptions& options :
       {CuckooOptions{.capacity = 64, .expansion = 2},
        CuckooOptions{.capacity = 1000, .bucket_size = 255, .max_iterations = 65535},
        CuckooOptions{.capacity = 4, .expansion = 0}}) {
    CuckooFilter filter = filled(options, 300);
    filter.erase("1");
    expect_same(read(values_of(filter), 4), filter);
  }
}

TEST(CuckooValue, ReadsPackedStrings) {
  const CuckooFilter filter = filled({.capacity = 1024}, 5);
  std::string values;
  for (const std::uint64_t each : {1U, 512U, 5U, 0U, 2U, 20U, 1U, 512U}) {
    testing::append_number(values, each);
  }
  values += '\5' + testing::packed_string(text(filter.slots(0))) + '\0';
  expect_same(read(values, 4), filter);
}

// Values up to 2.0 had no word of deletes and parameters, and buckets of 4 slots.
TEST(CuckooValue, OldOnesKeepTheirHashFromThenOn) {
  const std::uint32_t hash = murmur2_32("a member", 0);
  std::string slots(4 * 64, '\0');
  slots[4 * (hash % 64) + 2] = static_cast<char>(hash >> 24);
  std::string values;
  for (const std::uint64_t each : {2U, 64U, 1U}) testing::append_number(values, each);
  values += '\5' + testing::plain_string(std::string(4 * 64, '\0'));
  values += '\5' + testing::plain_string(slots);
  values += '\0';
  for (const std::uint32_t version : {1U, 2U, 3U}) {
    const CuckooFilter old = read(values, version);
    EXPECT_TRUE(old.may_contain("a member"));
    EXPECT_EQ(old.shape().bucket_size, 4U);
    EXPECT_EQ(old.shape().max_iterations, 20U);
    const CuckooFilter again = read(values_of(old), 4);
    EXPECT_EQ(again.shape().hash, CuckooHash::murmur_32);
    EXPECT_TRUE(again.may_contain("a member"));
    EXPECT_EQ(decode_cuckoo_header(encode_cuckoo_header(old.shape())).hash, CuckooHash::murmur_32);
    // No server that knows but the new hash takes it.
    EXPECT_GT(stored_sub_filters(old.shape()), 65535U);
  }
}

TEST(CuckooValue, RefusesWhatIsCutOrWrong) {
  const std::string right = values_of(filled({.capacity = 8, .expansion = 2}, 20));
  for (std::size_t size = 0; size < right.size(); ++size) {
    EXPECT_THROW(read(right.substr(0, size), 4), FormatError) << size;
  }
  EXPECT_THROW(read(right, 5), FormatError);
  EXPECT_THROW(read(right, 3), FormatError);
  // Sub-filters, buckets, ..., expansion; the buckets of a sub-filter, of which one string came.
  const std::array<std::uint64_t, 8> numbers{1, 4, 3, 0, 2, 20, 1, 4};
  const auto with = [&](std::size_t at, std::uint64_t value, std::size_t size = 8) {
    std::string values;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      testing::append_number(values, i == at ? value : numbers[i]);
    }
    return values + '\5' + testing::plain_string(std::string(size, '\1')) + '\0';
  };
  EXPECT_NO_THROW(read(with(2, 12345), 4));
  for (const std::size_t at : {0U, 1U, 4U, 5U, 7U}) {
    for (const std::uint64_t value :
         {std::uint64_t{0}, std::uint64_t{1} << 40, ~std::uint64_t{0}, std::uint64_t{70'000}}) {
      EXPECT_THROW(read(with(at, value), 4), FormatError) << at << " " << value;
    }
  }
  EXPECT_THROW(read(with(6, 3), 4), FormatError);
  EXPECT_THROW(read(with(2, 3, 7), 4), FormatError);
  EXPECT_THROW(read(with(2, 3, 9), 4), FormatError);
}

}  // namespace
}  // namespace bloomery::redisbloom
