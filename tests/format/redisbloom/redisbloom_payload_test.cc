// SPDX-License-Identifier: Apache-2.0
#include "bloomery/format/redisbloom/redisbloom_payload.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>

#include "bloomery/errors.h"
#include "bloomery/format/native/write_native.h"
#include "bloomery/format/rdb/module_value.h"
#include "bloomery/format/redisbloom/redisbloom_dump.h"
#include "tests/format/foreign_vectors.h"
#include "tests/format/redisbloom/redisbloom_bytes.h"
#include "tests/support/keys.h"

namespace bloomery {
namespace {

using golden::bytes_of;
using golden::text_of;
using redisbloom::Generation;
using testing::DumpShape;
using testing::module_value_of;
using testing::packed_string;
using testing::payload_of;
using testing::plain_string;
using testing::RedisBloomModel;
using testing::texts;

RedisBloomModel filled(const redisbloom::ReserveOptions& options, std::size_t keys = 300) {
  RedisBloomModel model(options);
  for (const std::string& key : texts(keys, "item:")) model.add(key);
  return model;
}

void expect_answers(const AnyFilter& filter, const RedisBloomModel& model) {
  for (const std::string& key : texts(2'000, "item:")) {
    ASSERT_EQ(filter.may_contain(key), model.exists(key)) << key;
  }
}

std::string encoded_payload(const AnyFilter& filter) {
  std::string bytes;
  redisbloom::encode_payload(filter.contents(),
                             [&](std::span<const std::byte> piece) { bytes += text_of(piece); });
  return bytes;
}

TEST(RedisBloomPayload, IsReadAndWrittenAsServersDo) {
  for (const bool nonscaling : {false, true}) {
    const RedisBloomModel model = filled({.capacity = 500, .nonscaling = nonscaling});
    const DumpShape shape{.options = nonscaling ? 13U : 5U};
    const std::string bytes = payload_of(module_value_of(model, shape, 4, plain_string));
    const AnyFilter filter = redisbloom::decode_payload(bytes_of(bytes));
    expect_answers(filter, model);
    const std::string again = encoded_payload(filter);
    EXPECT_EQ(again.substr(0, 10), bytes.substr(0, 10));
    EXPECT_EQ(encoded_payload(redisbloom::decode_payload(bytes_of(again))), again);
    expect_answers(redisbloom::decode_payload(bytes_of(again)), model);
  }
}

TEST(RedisBloomPayload, OfEveryEncodingVersionIsRead) {
  struct Encoded {
    Generation generation;
    std::uint32_t version;
    DumpShape shape;
  };
  const Encoded samples[] = {
      {Generation::v2_0, 3, {.options = 4, .has_powers = true}},
      {Generation::v2_0, 2, {.options = 4, .has_powers = true}},
      {Generation::v2_0, 4, {.options = 4, .has_powers = true}},
      {Generation::v1_1, 1, {.options = 0, .has_powers = true}},
      {Generation::v1_1, 2, {.options = 0, .has_powers = true}},
      {Generation::current, 4, {.options = 5}},
  };
  for (const Encoded& sample : samples) {
    const RedisBloomModel model = filled({.generation = sample.generation}, 1'000);
    for (const auto pack : {plain_string, packed_string}) {
      const auto value = module_value_of(model, sample.shape, sample.version, pack);
      const AnyFilter filter = redisbloom::decode_payload(bytes_of(payload_of(value)));
      expect_answers(filter, model);
      EXPECT_EQ(filter.inserted(),
                redisbloom::decode_payload(bytes_of(encoded_payload(filter))).inserted());
    }
  }
}

// The first release said neither bits nor options, and rounded nothing.
TEST(RedisBloomPayload, OfTheFirstEncodingVersionIsRead) {
  RedisBloomModel model({.generation = Generation::v1_1});
  model.links.front().bits = 958;
  model.links.front().entries = 100;
  model.links.front().bytes.assign(120, 0);
  for (const std::string& key : texts(80, "item:")) model.add(key);
  const auto value = module_value_of(model, {}, 0, plain_string);
  const AnyFilter filter = redisbloom::decode_payload(bytes_of(payload_of(value)));
  EXPECT_EQ(filter.parameters().kind, FilterKind::redisbloom_32);
  EXPECT_EQ(filter.geometry().bit_count, 958U);
  expect_answers(filter, model);
}

// A server that loads many values goes on behind it.
TEST(RedisBloomPayload, ThatIsRefusedIsReadToItsEnd) {
  RedisBloomModel model = filled({}, 800);
  ASSERT_GT(model.links.size(), 2U);
  model.links[0].hashes = 99;
  const std::string value = module_value_of(model, {}, 4, plain_string);
  rdb::RdbCursor cursor(bytes_of(value), "a test");
  cursor.length("module type");
  rdb::ModuleReader reader(cursor);
  EXPECT_THROW(redisbloom::read_value(reader, 4), FormatError);
  reader.expect_end();
  EXPECT_EQ(cursor.left(), 0U);
}

// Servers after 8.8 say the version of the hash and its seed last, both 0 unless they have one.
TEST(RedisBloomPayload, OfAServerWithAHashSeedIsRefusedByName) {
  const RedisBloomModel model = filled({.capacity = 100});
  std::string value = module_value_of(model, {}, 5, plain_string);
  value.pop_back();
  const auto with = [&](std::uint64_t version, std::uint64_t seed) {
    std::string whole = value;
    testing::append_number(whole, version);
    testing::append_number(whole, seed);
    return payload_of(whole + '\0');
  };
  expect_answers(redisbloom::decode_payload(bytes_of(with(0, 0))), model);
  for (const auto& [version, seed] : {std::pair{1, 7}, {1, 0}, {0, 7}}) {
    try {
      redisbloom::decode_payload(
          bytes_of(with(static_cast<std::uint64_t>(version), static_cast<std::uint64_t>(seed))));
      ADD_FAILURE() << version << " " << seed;
    } catch (const FormatError& error) {
      EXPECT_THAT(error.what(), ::testing::HasSubstr("made with a hash seed; rebuild it"));
    }
  }
}

// RedisBloom makes so many links with EXPANSION 1.
TEST(RedisBloomPayload, OfAsManyLinksAsItTook) {
  AnyFilter filter = redisbloom::reserve({.capacity = 1, .expansion = 1});
  for (const std::string& key : texts(1'000, "item:")) filter.insert(Key(key));
  ASSERT_GT(filter.contents().layers.size(), 300U);  // small links have many keys by chance
  const FilterContents contents = filter.contents();
  std::string payload;
  redisbloom::encode_payload(contents,
                             [&](std::span<const std::byte> piece) { payload += text_of(piece); });
  std::string dump;
  redisbloom::encode_dump(contents,
                          [&](std::span<const std::byte> piece) { dump += text_of(piece); });
  const AnyFilter of_payload = redisbloom::decode_payload(bytes_of(payload));
  const AnyFilter of_dump = redisbloom::decode_dump(bytes_of(dump));
  for (const std::string& key : texts(1'000, "item:")) {
    EXPECT_TRUE(of_payload.may_contain(key));
    EXPECT_TRUE(of_dump.may_contain(key));
  }
  EXPECT_EQ(encoded_payload(of_payload), payload);
  // Files of our own have one byte for probes.
  try {
    const NativeHead head(contents, {});
    ADD_FAILURE();
  } catch (const std::invalid_argument& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("at most 255 layers of at most 255 probes"));
  }
}

TEST(RedisBloomPayload, ThatIsDamagedIsRefused) {
  const RedisBloomModel model = filled({}, 10);
  const std::string value = module_value_of(model, {}, 4, plain_string);
  const std::string good = payload_of(value);
  ASSERT_NO_THROW(redisbloom::decode_payload(bytes_of(good)));
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_THROW(redisbloom::decode_payload(bytes_of(good.substr(0, size))), FormatError) << size;
    std::string flipped = good;
    flipped[size] = static_cast<char>(flipped[size] ^ 1);
    EXPECT_THROW(redisbloom::decode_payload(bytes_of(flipped)), FormatError) << size;
  }
  // The checksum of the following payloads is right.
  for (std::size_t size = 0; size < value.size(); ++size) {
    EXPECT_THROW(redisbloom::decode_payload(bytes_of(payload_of(value.substr(0, size)))),
                 FormatError)
        << size;
    for (const int bit : {1, 16, 128}) {
      std::string flipped = value;
      flipped[size] = static_cast<char>(flipped[size] ^ bit);
      try {
        redisbloom::decode_payload(bytes_of(payload_of(flipped)));
      } catch (const FormatError&) {  // or is another filter
      }
    }
  }
  EXPECT_THROW(redisbloom::decode_payload(bytes_of(payload_of(value + "x"))), FormatError);
  const auto other = module_value_of(model, {}, 5, plain_string);
  EXPECT_THROW(redisbloom::decode_payload(bytes_of(payload_of(other))), FormatError);
  std::string cuckoo;
  testing::append_length(cuckoo, testing::type_id("MBbloomCF", 4));
  try {
    redisbloom::decode_payload(bytes_of(payload_of(cuckoo + '\0')));
    ADD_FAILURE();
  } catch (const FormatError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("MBbloomCF"));
  }
}

// A few bytes that claim a large filter take no memory for it.
TEST(RedisBloomPayload, ClaimsAreNotBelieved) {
  const RedisBloomModel model = filled({}, 10);
  for (const std::uint64_t claim : {std::uint64_t{1} << 30, std::uint64_t{1} << 62}) {
    const auto plain = [&](const std::string&) {
      std::string bytes;
      testing::append_length(bytes, claim);
      return bytes;
    };
    const auto packed = [&](const std::string&) {
      std::string bytes = "\xc3\3";
      testing::append_length(bytes, claim);
      return bytes + "\xe0\xff\1";
    };
    RedisBloomModel claiming = model;
    claiming.links.front().bits = 8 * claim;
    EXPECT_THROW(
        redisbloom::decode_payload(bytes_of(payload_of(module_value_of(claiming, {}, 4, plain)))),
        FormatError);
    EXPECT_THROW(
        redisbloom::decode_payload(bytes_of(payload_of(module_value_of(claiming, {}, 4, packed)))),
        FormatError);
  }
}

}  // namespace
}  // namespace bloomery
