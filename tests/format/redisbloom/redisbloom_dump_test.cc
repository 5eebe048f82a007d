// SPDX-License-Identifier: Apache-2.0
#include "bloomery/format/redisbloom/redisbloom_dump.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "bloomery/errors.h"
#include "tests/format/foreign_vectors.h"
#include "tests/format/redisbloom/redisbloom_bytes.h"
#include "tests/support/keys.h"

namespace bloomery {
namespace {

using golden::bytes_of;
using golden::text_of;
using redisbloom::ChunkLoader;
using redisbloom::Generation;
using testing::dump_of;
using testing::DumpShape;
using testing::header_of;
using testing::keys_of;
using testing::RedisBloomModel;
using testing::texts;

// The dumps that servers of each generation write of the same keys.
struct Sample {
  redisbloom::ReserveOptions options;
  DumpShape shape;
};
const Sample kSamples[] = {
    {{.capacity = 100}, {.options = 5}},
    {{.capacity = 1'000, .nonscaling = true}, {.options = 13}},
    {{.capacity = 7, .error_rate = 0.2, .expansion = 5}, {.options = 5, .growth = 5}},
    {{.generation = Generation::v2_0}, {.options = 4, .is_short = true, .has_powers = true}},
    {{.generation = Generation::v2_0}, {.options = 4, .has_powers = true}},
    {{.generation = Generation::v1_1}, {.options = 0, .is_short = true, .has_powers = true}},
};

RedisBloomModel model_of(const Sample& sample) {
  RedisBloomModel model(sample.options);
  for (const std::string& key : texts(700, "item:")) model.add(key);
  return model;
}

std::string encoded(const AnyFilter& filter) {
  std::string bytes;
  redisbloom::encode_dump(filter.contents(),
                          [&](std::span<const std::byte> piece) { bytes += text_of(piece); });
  return bytes;
}

TEST(RedisBloomDump, OfEveryGenerationIsReadAndWrittenToTheByte) {
  for (const Sample& sample : kSamples) {
    RedisBloomModel model = model_of(sample);
    const std::string bytes = dump_of(model, sample.shape);
    AnyFilter filter = redisbloom::decode_dump(bytes_of(bytes));
    EXPECT_EQ(encoded(filter), bytes);
    for (const std::string& key : texts(3'000, "item:")) {
      ASSERT_EQ(filter.may_contain(key), model.exists(key)) << key;
    }
    if (sample.options.nonscaling) continue;
    // The filter goes on as the server's would.
    for (const std::string& key : texts(3'000, "more:")) {
      ASSERT_EQ(filter.insert(key), model.add(key) == 1) << key;
    }
    EXPECT_EQ(encoded(filter), dump_of(model, sample.shape));
  }
}

TEST(RedisBloomDump, HasTheHeaderOfADefaultFilter) {
  const auto chain = redisbloom::reserve({});
  const auto header = redisbloom::encode_header(chain.contents());
  EXPECT_EQ(header.size(), 73U);
  EXPECT_EQ(text_of(header), header_of(RedisBloomModel({}), {}));
}

// 2.2.0 kept the bits as they were asked for.
TEST(RedisBloomDump, OfUnroundedBitsIsRead) {
  RedisBloomModel model({});
  auto& link = model.links.front();
  link.bits = 1'102;
  link.bytes.assign(138, 0);
  for (const std::string& key : texts(100, "item:")) model.add(key);
  const std::string bytes = dump_of(model, {});
  const AnyFilter filter = redisbloom::decode_dump(bytes_of(bytes));
  for (const std::string& key : texts(3'000, "item:")) {
    ASSERT_EQ(filter.may_contain(key), model.exists(key)) << key;
  }
  EXPECT_EQ(encoded(filter), bytes);

  link.bytes.back() = static_cast<std::uint8_t>(link.bytes.back() | 0x40);
  EXPECT_THROW(redisbloom::decode_dump(bytes_of(dump_of(model, {}))), FormatError);
}

template <class T>
std::string with(std::string bytes, std::size_t at, T value) {
  std::memcpy(bytes.data() + at, &value, sizeof value);
  return bytes;
}

TEST(RedisBloomDump, ThatIsDamagedIsRefusedAndTheFieldNamed) {
  const std::string good = dump_of(RedisBloomModel({}), {});
  ASSERT_NO_THROW(redisbloom::decode_dump(bytes_of(good)));
  const double kNan = std::numeric_limits<double>::quiet_NaN();
  const std::pair<std::string, const char*> faults[] = {
      {with(good, 0, std::uint64_t{1}), "size 1"},
      {with(good, 8, 0U), "links at byte 8: 0"},
      {with(good, 8, 1U << 20), "links at byte 8: 1048576"},
      {with(good, 8, ~0U), "links at byte 8: 4294967295"},
      {with(good, 8, 2U), "byte"},
      {with(good, 12, 21U), "options 21"},
      {with(good, 20, std::uint64_t{145}), "bytes 145"},
      {with(good, 20, ~std::uint64_t{0}), "bytes 18446744073709551615"},
      {with(good, 28, std::uint64_t{0}), "bits 0"},
      {with(good, 28, std::uint64_t{1'153}), "bytes 144"},
      {with(good, 28, ~std::uint64_t{0}), "bits 18446744073709551615"},
      {with(good, 36, std::uint64_t{7}), "link 0: size 7"},
      {with(good, 44, 0.0), "error 0"},
      {with(good, 44, 1.0), "error 1"},
      {with(good, 44, kNan), "error nan"},
      {with(good, 52, kNan), "bits per entry nan"},
      {with(good, 52, 0.0), "bits per entry 0"},
      {with(good, 60, 9U), "hashes 9"},
      {with(good, 60, 0U), "hashes 0"},
      {with(good, 64, std::uint64_t{0}), "entries 0"},
      {with(good, 72, std::uint8_t{10}), "n2 10"},
      {with(good, 72, std::uint8_t{64}), "n2 64"},
      {good + '\0', "header says 144"},
  };
  for (const auto& [bytes, expected] : faults) {
    try {
      redisbloom::decode_dump(bytes_of(bytes));
      ADD_FAILURE() << "accepted where " << expected;
    } catch (const FormatError& error) {
      EXPECT_THAT(error.what(), ::testing::HasSubstr(expected));
      EXPECT_THAT(error.what(), ::testing::HasSubstr("at byte "));
    }
  }
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_THROW(redisbloom::decode_dump(bytes_of(good.substr(0, size))), FormatError) << size;
  }
}

// RedisBloom takes such a filter: its tests load one.
TEST(RedisBloomDump, MayHaveProbesThatAreNotThoseOfItsRate) {
  const std::string good = dump_of(RedisBloomModel({}), {});
  const std::string odd = with(with(good, 52, 0.1), 60, 1U);
  const AnyFilter filter = redisbloom::decode_dump(bytes_of(odd));
  EXPECT_EQ(filter.contents().layers.front().geometry.probe_count, 1U);
  // The bytes that are written of it can be read again.
  const std::string again = encoded(filter);
  EXPECT_EQ(again.substr(0, 52), odd.substr(0, 52));
  EXPECT_EQ(again.substr(60), odd.substr(60));
  EXPECT_EQ(encoded(redisbloom::decode_dump(bytes_of(again))), again);
}

TEST(RedisBloomDump, GoesInPiecesThatStayWithinALink) {
  for (const Sample& sample : kSamples) {
    const RedisBloomModel model = model_of(sample);
    const std::string bytes = dump_of(model, sample.shape);
    const std::string header = header_of(model, sample.shape);
    const AnyFilter filter = redisbloom::decode_dump(bytes_of(bytes));
    const FilterContents contents = filter.contents();
    for (const std::uint64_t most : {std::uint64_t{1}, std::uint64_t{37}, std::uint64_t{1} << 24}) {
      std::string all = text_of(redisbloom::encode_header(contents));
      ASSERT_EQ(all, header);
      ChunkLoader loader(redisbloom::decode_header(bytes_of(header)));
      std::size_t pieces = 0;
      for (std::uint64_t iterator = 1;; ++pieces) {
        const auto chunk = redisbloom::dump_chunk(contents, iterator, most);
        if (chunk.next == 0) break;
        EXPECT_EQ(chunk.next, iterator + chunk.bytes.size());
        EXPECT_LE(chunk.bytes.size(), most);
        EXPECT_GT(loader.missing_bytes(), 0U);
        EXPECT_EQ(loader.load(chunk.next, chunk.bytes), ChunkLoader::Took::all);
        all += text_of(chunk.bytes);
        iterator = chunk.next;
      }
      EXPECT_EQ(all, bytes);
      EXPECT_EQ(loader.missing_bytes(), 0U);
      EXPECT_EQ(encoded(loader.chain()), bytes);
      EXPECT_TRUE(most < bytes.size() || pieces == model.links.size()) << pieces;
    }
  }
}

// Release 2.2.0 had a growth already, and entries of 4 bytes still.
TEST(RedisBloomDump, OfRelease220IsRead) {
  const RedisBloomModel model = model_of(kSamples[0]);
  const std::string header = header_of(model, {.growth = 3});
  std::string old = header.substr(0, 20);
  for (std::size_t i = 0; i < model.links.size(); ++i) {
    const std::string link = header.substr(20 + 53 * i, 53);
    old += link.substr(0, 48) + link.substr(52);
  }
  const FilterContents contents = redisbloom::decode_header(bytes_of(old));
  EXPECT_EQ(text_of(redisbloom::encode_header(contents)), header);
  EXPECT_EQ(contents.parameters.growth.expansion, 3);
  // A file of this header might as well be a cut file of today.
  EXPECT_THROW(redisbloom::decode_dump(bytes_of(old + dump_of(model, {}).substr(header.size()))),
               FormatError);
}

TEST(RedisBloomDump, OfAServerWithAHashSeedIsRefusedByName) {
  const RedisBloomModel model = model_of(kSamples[0]);
  const std::string header = header_of(model, {});
  const std::string body = dump_of(model, {}).substr(header.size());
  const std::string none(16, '\0');
  EXPECT_NO_THROW(redisbloom::decode_header(bytes_of(header + none)));
  EXPECT_THROW(redisbloom::decode_dump(bytes_of(header + none + body)), FormatError);
  for (const std::size_t at : {0U, 7U, 8U, 15U}) {
    std::string seed = none;
    seed[at] = 1;
    EXPECT_THROW(redisbloom::decode_header(bytes_of(header + seed)), redisbloom::HashSeedError);
    EXPECT_THROW(redisbloom::decode_dump(bytes_of(header + seed + body)),
                 redisbloom::HashSeedError);
  }
}

TEST(RedisBloomDump, PiecesMayComeInAnyOrderAndTwice) {
  const RedisBloomModel model = model_of(kSamples[0]);
  ASSERT_EQ(model.links.size(), 3U);
  const std::string bytes = dump_of(model, {});
  const std::size_t header = header_of(model, {}).size();
  const std::string body = bytes.substr(header);
  ChunkLoader loader(redisbloom::decode_header(bytes_of(bytes.substr(0, header))));
  EXPECT_EQ(loader.missing_bytes(), body.size());
  const auto load = [&](std::size_t first, std::size_t count) {
    return loader.load(first + count + 1, bytes_of(body).subspan(first, count));
  };
  EXPECT_EQ(load(40, 20), ChunkLoader::Took::all);
  EXPECT_EQ(load(0, 10), ChunkLoader::Took::all);
  EXPECT_EQ(loader.missing_bytes(), body.size() - 30);
  EXPECT_EQ(load(5, 50), ChunkLoader::Took::all);
  EXPECT_EQ(loader.missing_bytes(), body.size() - 60);
  EXPECT_EQ(load(5, 50), ChunkLoader::Took::all);
  EXPECT_EQ(loader.missing_bytes(), body.size() - 60);
  EXPECT_EQ(load(60, 84), ChunkLoader::Took::all);

  EXPECT_EQ(load(143, 2), ChunkLoader::Took::beyond_its_link);
  EXPECT_EQ(loader.load(3, bytes_of(body).first(3)), ChunkLoader::Took::no_such_link);
  EXPECT_EQ(loader.load(0, {}), ChunkLoader::Took::no_such_link);
  EXPECT_EQ(loader.load(~std::uint64_t{0}, bytes_of(body).first(1)),
            ChunkLoader::Took::no_such_link);
  EXPECT_EQ(loader.load(body.size() + 2, bytes_of(body).first(1)), ChunkLoader::Took::no_such_link);

  EXPECT_EQ(loader.missing_bytes(), body.size() - 144);
  EXPECT_EQ(load(144, model.links[1].bytes.size()), ChunkLoader::Took::all);
  const std::size_t second = 144 + model.links[1].bytes.size();
  EXPECT_EQ(load(second, body.size() - second), ChunkLoader::Took::all);
  EXPECT_EQ(loader.missing_bytes(), 0U);
  EXPECT_EQ(encoded(loader.chain()), bytes);
}

TEST(RedisBloomDump, IsMadeByItsName) {
  const Format& format = redisbloom::kFormat;
  const FilterOptions options{.capacity = 10, .false_positive_rate = 0.01};
  EXPECT_EQ(format.create(options, {{"generation", "1.1"}}).parameters().kind,
            FilterKind::redisbloom_32);
  AnyFilter fixed = format.create(options, {{"nonscaling", "1"}});
  EXPECT_THROW(fixed.insert_many(keys_of(texts(100, "k"))), std::invalid_argument);
  EXPECT_EQ(fixed.inserted(), 10U);
  AnyFilter wide = format.create(options, {{"expansion", "16"}});
  wide.insert_many(keys_of(texts(100, "k")));
  EXPECT_EQ(wide.capacity(), 170U);
  EXPECT_THROW(format.create(options, {{"generation", "3"}}), std::invalid_argument);
  EXPECT_THROW(format.create(options, {{"expansion", "4294967296"}}), std::invalid_argument);
}

}  // namespace
}  // namespace bloomery
