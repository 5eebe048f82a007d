// SPDX-License-Identifier: Apache-2.0
// ScrapyRedisBloomFilter's hashes and bitmaps, as tests/golden/foreign/make_scrapy.py has them.
#include "bloomery/format/scrapy.h"

#include <gtest/gtest.h>

#include <cstring>
#include <stdexcept>

#include "bloomery/errors.h"
#include "bloomery/format/scrapy_md5.h"
#include "tests/format/foreign_vectors.h"
#include "tests/support/golden.h"

using namespace bloomery;
using namespace bloomery::golden;
using nlohmann::json;

namespace {

TEST(Scrapy, ProbesAsTheClassDoes) {
  for (const json& each : golden::read("scrapy.json")["hash_vectors"]) {
    const std::string key = bytes_of_hex(each["utf8_hex"]);
    const std::uint64_t bit_count = std::uint64_t{1} << each["bit"].get<int>();
    for (std::uint32_t i = 0; i < each["offsets"].size(); ++i) {
      EXPECT_EQ(ScrapyProbes::position(key, i, bit_count), each["offsets"][i]) << each;
    }
  }
}

TEST(Scrapy, ProbesAsTheLineageByMd5Does) {
  const ScrapyMd5Probes scheme(FilterParameters{});
  for (const json& each : golden::read("scrapy.json")["md5_hash_vectors"]) {
    const std::string key = bytes_of_hex(each["utf8_hex"]);
    const HashPair digest = ScrapyMd5Probes::hash(key);
    const std::string bytes = bytes_of_hex(each["digest"]);
    EXPECT_EQ(std::memcmp(&digest, bytes.data(), sizeof digest), 0) << each;
    const std::uint64_t bit_count = std::uint64_t{1} << each["bit"].get<int>();
    ASSERT_EQ(each["offsets"].size(), ScrapyMd5Probes::kMostHashes);
    for (std::uint32_t i = 0; i < each["offsets"].size(); ++i) {
      EXPECT_EQ(scheme.position(digest, i, bit_count), each["offsets"][i]) << each;
    }
  }
}

void expect_bitmaps(const json& filters, const FormatSettings& lineage, FilterKind kind) {
  for (const json& each : filters) {
    SCOPED_TRACE(each["key_pattern"].get<std::string>());
    FormatSettings settings{{"bit", each["bit"].dump()},
                            {"hash_number", each["hash_number"].dump()}};
    settings.insert(lineage.begin(), lineage.end());
    AnyFilter filter = scrapy::kFormat.decode({}, settings);
    const MakeKey make = text_keys(each["key_pattern"]);
    EXPECT_EQ(json(insert_all(filter, make, each["insert_from"], each["insert_to_exclusive"])),
              each["seen_when_inserted"]);
    const auto positives = present(filter, make, each["probe_from"], each["probe_to_exclusive"]);
    EXPECT_EQ(json(positives), each["probe_indices_reported_present"]);
    const std::string theirs = bytes_of_base64(each["string_b64"].get<std::string>());
    EXPECT_EQ(text_of(encode(scrapy::kFormat, filter.contents())), theirs);
    EXPECT_EQ(filter.parameters().kind, kind);
    FormatSettings told = scrapy::kFormat.settings_of(filter.contents());
    std::erase_if(told, [&](const auto& one) { return !settings.contains(one.first); });
    EXPECT_EQ(told, settings);
    const AnyFilter read = scrapy::kFormat.decode(bytes_of(theirs), settings);
    EXPECT_EQ(present(read, make, each["probe_from"], each["probe_to_exclusive"]), positives);
  }
}

TEST(Scrapy, FillsBitmapsToTheSameBytesAndAnswers) {
  const json golden = golden::read("scrapy.json");
  expect_bitmaps(golden["filters"], {}, FilterKind::scrapy);
  expect_bitmaps(golden["md5_filters"], {{"hash", "md5"}}, FilterKind::scrapy_md5);
}

TEST(Scrapy, NeedsToBeToldBothOfItsSettings) {
  const auto decode = [](const FormatSettings& settings) {
    return scrapy::kFormat.decode({}, settings);
  };
  EXPECT_THROW(decode({{"bit", "30"}}), std::invalid_argument);
  EXPECT_THROW(decode({{"hash_number", "6"}}), std::invalid_argument);
  for (const char* const bit : {"2", "33", "64", "18446744073709551615"}) {
    EXPECT_THROW(decode({{"bit", bit}, {"hash_number", "6"}}), std::invalid_argument) << bit;
  }
  EXPECT_THROW(decode({{"bit", "9"}, {"hash_number", "256"}}), std::invalid_argument);
  for (const char* const hash : {"sha1", "MD5", ""}) {
    EXPECT_THROW(decode({{"bit", "9"}, {"hash_number", "6"}, {"hash", hash}}),
                 std::invalid_argument);
  }
  EXPECT_THROW(decode({{"bit", "9"}, {"hash_number", "8"}, {"hash", "md5"}}),
               std::invalid_argument);
  EXPECT_THROW(scrapy::kFormat.decode(bytes_of("\x01\x01"), {{"bit", "3"}, {"hash_number", "6"}}),
               FormatError);
}

TEST(Scrapy, KeepsTheRateByMd5) {
  for (const std::uint64_t keys : {1'000, 20'000}) {
    AnyFilter filter =
        scrapy::kFormat.create({.capacity = keys, .false_positive_rate = 0.01}, {{"hash", "md5"}});
    EXPECT_EQ(filter.parameters().kind, FilterKind::scrapy_md5);
    insert_all(filter, fingerprint, 0, static_cast<int>(keys));
    const auto found =
        static_cast<double>(present(filter, fingerprint, 1'000'000, 1'020'000).size());
    EXPECT_LT(found, 20'000 * 0.012) << keys;
  }
}

TEST(Scrapy, KeepsTheRateForFingerprints) {
  AnyFilter filter = scrapy::kFormat.create({.capacity = 4'000, .false_positive_rate = 0.003}, {});
  EXPECT_EQ(filter.geometry().bit_count, 1U << 16);
  insert_all(filter, fingerprint, 0, 4'000);
  const auto found = static_cast<double>(present(filter, fingerprint, 1'000'000, 1'040'000).size());
  EXPECT_LT(found, 120);
  EXPECT_NEAR(filter.predicted_rate() / (found / 40'000), 1, 0.5)
      << "not six probes' 20 times less";
  EXPECT_THROW(scrapy::kFormat.create({.capacity = 4'000, .false_positive_rate = 0.003},
                                      {{"bit", "15"}, {"hash_number", "6"}}),
               std::invalid_argument);
}

}  // namespace
