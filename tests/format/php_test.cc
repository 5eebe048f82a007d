// SPDX-License-Identifier: Apache-2.0
// The PHP class's hashes and bitmaps, recorded from PHP.
#include "bloomery/format/php.h"

#include <gmock/gmock.h>

#include <cstdio>
#include <limits>

#include "bloomery/bits/bit_view.h"
#include "bloomery/errors.h"
#include "bloomery/filter/rates.h"
#include "bloomery/format/kinds.h"
#include "bloomery/format/php_number.h"
#include "tests/format/foreign_vectors.h"
#include "tests/support/golden.h"

using namespace bloomery;
using namespace bloomery::golden;
using nlohmann::json;

namespace {

const json& php_vectors() {
  static const json all = golden::read("php_redis.json");
  return all;
}

// Key i by a pattern such as /p/%06d.html.
MakeKey printf_keys(const std::string& pattern) {
  return [pattern](std::int64_t i) {
    char text[128];
    std::snprintf(text, sizeof text, pattern.c_str(), static_cast<int>(i));
    return std::string(text);
  };
}

TEST(Php, CastsFloatsAsPhpDoes) {
  for (const json& each : php_vectors()["float_to_int_casts"]) {
    EXPECT_EQ(php_int(std::stod(each["float"].get<std::string>())),
              std::stoll(each["int_cast"].get<std::string>()))
        << each;
  }
  EXPECT_EQ(php_int(1.9), 1);
  EXPECT_EQ(php_int(-1.9), -1);
  EXPECT_EQ(php_int(std::numeric_limits<double>::infinity()), 0);
  EXPECT_EQ(php_int(std::numeric_limits<double>::quiet_NaN()), 0);
}

TEST(Php, HashesAsTheClassDoes) {
  const PhpProbes probes{FilterParameters{}};
  for (const json& each : php_vectors()["hash_vectors"]) {
    SCOPED_TRACE(each.dump());
    const std::string key = bytes_of_hex(each["in_hex"]);
    EXPECT_EQ(php::bkdr_hash(key), each["bkdr"]);
    EXPECT_EQ(php::js_hash(key), each["js"]);
    EXPECT_EQ(php::sdbm_hash(key), each["sdbm"]);
    for (const json& set : each["offsets"]) {
      for (std::uint32_t i = 0; i < 3; ++i) {
        EXPECT_EQ(PhpProbes::position(probes.hash(key), i, set["bitMapSize"]), set["offsets"][i]);
      }
    }
  }
}

TEST(Php, FillsBitmapsToTheSameBytesAndAnswers) {
  for (const json& each : php_vectors()["filters"]) {
    SCOPED_TRACE(each["bucket"].get<std::string>());
    const std::uint64_t kilobytes = each["sizeInKB"];
    AnyFilter filter = php::kFormat.decode({}, {{"size_kb", std::to_string(kilobytes)}});
    const MakeKey make = printf_keys(each["key_printf"]);
    insert_all(filter, make, each["insert_from"], each["insert_to_exclusive"]);
    EXPECT_EQ(BitView(filter.contents().words.front()).count_ones(), each["bitcount"]);
    const auto positives = present(filter, make, each["probe_from"], each["probe_to_exclusive"]);
    EXPECT_EQ(positives.size(), each["probe_present_count"]);
    expect_begins_with(positives, each["probe_present_first_150"]);

    const std::string theirs = bytes_of_base64(each["reset_string_b64"].get<std::string>());
    EXPECT_EQ(text_of(encode(php::kFormat, filter.contents())), theirs);
    // A string that SETBIT wrote ends with the last byte that is not zero.
    const std::string by_setbit = theirs.substr(0, each["setbit_string_len"]);
    EXPECT_NE(by_setbit.back(), '\0');
    for (const std::string& bytes : {theirs, by_setbit}) {
      const AnyFilter read =
          php::kFormat.decode(bytes_of(bytes), {{"bits", std::to_string(kilobytes * 8192)}});
      EXPECT_EQ(present(read, make, each["probe_from"], each["probe_to_exclusive"]), positives);
    }
  }
}

TEST(Php, MeasuresWhatItsHashesMakeOfKeys) {
  const auto quality_of = [](const std::string& pattern) {
    std::vector<std::string> texts;
    for (int i = 100000; i < 101000; ++i) texts.push_back(printf_keys(pattern)(i));
    std::vector<Key> keys(texts.begin(), texts.end());
    keys.insert(keys.end(), texts.begin(), texts.end());  // again, which does not count
    return php::measure_quality(keys, 8192 * 1024);
  };
  const php::KeyQuality short_keys = quality_of("%d");
  EXPECT_EQ(short_keys.keys, 1000U);
  EXPECT_EQ(short_keys.share(), 1.0);
  const php::KeyQuality long_keys = quality_of("商品-%d");
  EXPECT_EQ(long_keys.keys, 1000U);
  EXPECT_LT(long_keys.share(), 0.2);
  EXPECT_THAT(php::describe(long_keys), ::testing::HasSubstr("1000 distinct keys"));
  EXPECT_EQ(php::measure_quality({}, 8192).share(), 1.0);
}

TEST(Php, SaysWhereBitsShowThatKeysAreAlike) {
  AnyFilter filter = php::kFormat.create({.capacity = 10000, .false_positive_rate = 0.01}, {});
  EXPECT_EQ(php::kFormat.advice(filter.contents()), "");
  insert_all(filter, text_keys("user:%d"), 0, 10);
  EXPECT_EQ(php::kFormat.advice(filter.contents()), "") << "ten keys show nothing";
  insert_all(filter, text_keys("user:%d"), 10, 5000);
  EXPECT_THAT(php::kFormat.advice(filter.contents()),
              ::testing::HasSubstr("strangers of its keys' pattern"));

  FilterContents counted = filter.contents();
  counted.inserted = 50000;
  EXPECT_THAT(php::kFormat.advice(counted), ::testing::HasSubstr("share positions"));

  // Bits as good hashes would set them are nothing to speak of.
  AnyFilter good = php::kFormat.create({.capacity = 10000, .false_positive_rate = 0.01}, {});
  good.change_words([](std::span<std::uint64_t> words) -> std::size_t {
    std::uint64_t random = 1;
    for (int i = 0; i < 15000; ++i) {
      random = random * 6364136223846793005 + 1442695040888963407;
      words[(random >> 33) % words.size()] |= std::uint64_t{1} << (random >> 58);
    }
    return 5000;
  });
  EXPECT_EQ(php::kFormat.advice(good.contents()), "");
}

TEST(Php, RefusesSizesThatTheClassCannotHave) {
  using Settings = FormatSettings;
  for (const Settings& settings :
       {Settings{}, Settings{{"size_kb", "0"}}, Settings{{"size_kb", "524289"}},
        Settings{{"bits", "4294967297"}}, Settings{{"size_kb", "1"}, {"bits", "8193"}}}) {
    EXPECT_THROW(php::kFormat.decode({}, settings), std::invalid_argument);
  }
  EXPECT_THROW(php::kFormat.decode(bytes_of(std::string(1025, '\0')), {{"size_kb", "1"}}),
               FormatError);
  EXPECT_THROW(php::kFormat.create({.capacity = 10000}, {{"size_kb", "1"}}), std::invalid_argument);
  EXPECT_THROW(check_any_contents({.parameters = {.kind = FilterKind::php,
                                                  .geometry = {.bit_count = 64, .probe_count = 4},
                                                  .capacity = 1,
                                                  .false_positive_rate = 0.5}}),
               FormatError);
}

TEST(Php, SizesFromWhatItsHashesReach) {
  const FilterOptions options{.capacity = 250'000'000, .false_positive_rate = 0.01};
  const Geometry geometry = PhpProbes::geometry(options);
  const double rate = kind_of(FilterKind::php).rate({.geometry = geometry}, 250e6);
  EXPECT_LE(rate, 0.01);
  EXPECT_GT(rate, 0.0099);
  EXPECT_LT(predicted_rate(geometry, 250e6), 0.0099) << "as if all positions were alike";
}

}  // namespace
