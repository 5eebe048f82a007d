// SPDX-License-Identifier: Apache-2.0
// Guava's own streams, made by Guava 31.1: read, asked, filled again, and written to the byte.
#include "bloomery/format/guava.h"

#include <gmock/gmock.h>

#include <set>

#include "bloomery/errors.h"
#include "bloomery/format/kinds.h"
#include "bloomery/hash/murmur3.h"
#include "tests/format/foreign_vectors.h"
#include "tests/support/golden.h"
#include "tests/support/utf16.h"

using namespace bloomery;
using namespace bloomery::golden;
using nlohmann::json;

namespace {

std::u16string units_of(const json& key) {
  std::u16string units;
  if (key.contains("utf16_hex")) {
    const std::string bytes = bytes_of_hex(key["utf16_hex"]);
    for (std::size_t i = 0; i + 1 < bytes.size(); i += 2) {
      units += static_cast<char16_t>(static_cast<unsigned char>(bytes[i]) * 256 +
                                     static_cast<unsigned char>(bytes[i + 1]));
    }
    return units;
  }
  // Vectors with text alone have no character beyond the basic plane but as below.
  const std::string text = key["s"];
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const std::size_t size = byte < 0x80 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
    std::uint32_t character = size == 1 ? byte : byte & (0xffU >> (size + 1));
    for (std::size_t j = 1; j < size; ++j) character = character << 6 | (text[i + j] & 0x3fU);
    if (character < 0x10000) {
      units += static_cast<char16_t>(character);
    } else {
      units += static_cast<char16_t>(0xd7c0 + (character >> 10));
      units += static_cast<char16_t>(0xdc00 + (character & 0x3ff));
    }
    i += size;
  }
  return units;
}

std::int64_t long_of(const json& value) {
  return value.is_string() ? std::stoll(value.get<std::string>()) : value.get<std::int64_t>();
}

MakeKey guava_keys(const json& filter) {
  const std::string funnel = filter["funnel"];
  const std::string pattern = filter["key_pattern"];
  if (funnel == "integerFunnel") {
    return [](std::int64_t i) { return guava::integer_key(static_cast<std::int32_t>(i)); };
  }
  if (funnel == "longFunnel") {
    EXPECT_EQ(pattern, "(long)i * 4294967311");
    return [](std::int64_t i) { return guava::long_key(i * 4294967311); };
  }
  if (funnel == "byteArrayFunnel") {
    return [](std::int64_t i) {
      std::string key;
      for (std::int64_t j = 0; j < i % 37; ++j) key += static_cast<char>(i * 31 + j * 7);
      return key;
    };
  }
  const MakeKey text = text_keys(pattern);
  if (funnel == "stringFunnel(UTF_8)") return text;
  EXPECT_EQ(funnel, "unencodedCharsFunnel");
  return [text](std::int64_t i) { return guava::unencoded_chars_key(units_of({{"s", text(i)}})); };
}

guava::Filter filter_of(const json& vector) {
  const auto strategy = guava::Strategy{vector["strategy_ordinal"].get<std::uint8_t>()};
  return guava::create(vector["n"], vector["p"], strategy, guava::ProbeRule::from_size);
}

TEST(Guava, SizesAsGuavaDoes) {
  for (const json& each : golden::read("guava.json")["sizing"]) {
    SCOPED_TRACE(each.dump());
    if (each.contains("create_throws")) {
      EXPECT_THROW(guava::create(each["n"], each["p"]), std::invalid_argument);
      continue;
    }
    const Geometry old = guava::geometry(each["n"], each["p"], guava::ProbeRule::from_size);
    EXPECT_EQ(old.bit_count, each["bit_size"].get<std::uint64_t>());
    EXPECT_EQ(old.probe_count, each["k_guava_31_1"]);
    EXPECT_EQ(guava::geometry(each["n"], each["p"], guava::ProbeRule::from_rate).probe_count,
              each["k_from_p_only_guava_33_4_6"]);
  }
}

TEST(Guava, FunnelsAsGuavaDoes) {
  for (const json& each : golden::read("guava.json")["funnels"]) {
    SCOPED_TRACE(each.dump());
    const std::string funnel = each["funnel"];
    std::string key;
    if (funnel == "integerFunnel") {
      key = guava::integer_key(static_cast<std::int32_t>(long_of(each["value"])));
    } else if (funnel == "longFunnel") {
      key = guava::long_key(long_of(each["value"]));
    } else if (funnel == "unencodedCharsFunnel") {
      key = guava::unencoded_chars_key(units_of(each["key"]));
    } else if (funnel == "stringFunnel(UTF_8)") {
      key = guava::string_key(units_of(each["key"]));
    } else {
      for (const json& part : each["keys"]) key += part.get<std::string>();  // sequentialFunnel
    }
    if (each.contains("funnelled_bytes_hex")) {
      EXPECT_EQ(key, bytes_of_hex(each["funnelled_bytes_hex"]));
    }
    const HashPair hash = murmur3_128(key);
    EXPECT_EQ(std::string(reinterpret_cast<const char*>(&hash), sizeof hash),
              bytes_of_hex(each["as_bytes_hex"]));
  }
}

TEST(Guava, FillsFiltersToTheSameBytesAndAnswers) {
  for (const json& each : golden::read("guava.json")["filters"]) {
    SCOPED_TRACE(each["id"].get<std::string>());
    guava::Filter filter = filter_of(each);
    EXPECT_EQ(filter.geometry().bit_count, each["bit_size"].get<std::uint64_t>());
    EXPECT_EQ(filter.geometry().probe_count, each["k"]);
    const MakeKey make = guava_keys(each);
    const auto old = insert_all(filter, make, each["insert_from"], each["insert_to_exclusive"]);
    EXPECT_EQ(old.size(), each["put_returned_false_count"]);
    expect_begins_with(old, each["put_returned_false_first_60_indices"]);
    const auto positives = present(filter, make, each["probe_from"], each["probe_to_exclusive"]);
    EXPECT_EQ(positives.size(), each["probe_reported_present_count"]);
    expect_begins_with(positives, each["probe_reported_present_first_250"]);

    EXPECT_DOUBLE_EQ(guava::expected_fpp(filter), each["expected_fpp"]);
    if (each.contains("approximate_element_count")) {
      EXPECT_EQ(guava::approximate_element_count(filter), each["approximate_element_count"]);
    } else {
      EXPECT_THROW(guava::approximate_element_count(filter), std::invalid_argument);
    }
    const auto bytes = guava::encode(filter);
    EXPECT_EQ(bytes.size(), each["serialized_len"]);
    if (!each.contains("serialized_b64")) continue;
    const std::string theirs = bytes_of_base64(each["serialized_b64"].get<std::string>());
    EXPECT_TRUE(text_of(bytes) == theirs);
    const guava::Filter read = guava::decode(bytes_of(theirs));
    EXPECT_EQ(present(read, make, each["probe_from"], each["probe_to_exclusive"]), positives);
    EXPECT_TRUE(text_of(guava::encode(read)) == theirs);
  }
}

TEST(Guava, MergesAsPutAll) {
  const json all = golden::read("guava.json")["putAll"];
  for (const json& each : all) {
    if (!each.contains("a_b64")) continue;
    guava::Filter a = guava::decode(bytes_of(bytes_of_base64(each["a_b64"].get<std::string>())));
    const auto b = guava::decode(bytes_of(bytes_of_base64(each["b_b64"].get<std::string>())));
    a.merge(b);
    EXPECT_EQ(text_of(guava::encode(a)),
              bytes_of_base64(each["a_putAll_b_b64"].get<std::string>()));
    EXPECT_EQ(guava::approximate_element_count(a), each["approximate_element_count"]);
  }
  guava::Filter mine = guava::create(100, 0.03);
  EXPECT_THROW(mine.merge(guava::create(1000, 0.03)), IncompatibleError);
  EXPECT_THROW(mine.merge(guava::create(100, 0.03, guava::Strategy::mitz_32)), IncompatibleError);
}

TEST(Guava, TakesAndRefusesStreamsAsReadFromDoes) {
  for (const json& each : golden::read("guava.json")["malformed"]) {
    SCOPED_TRACE(each["case"].get<std::string>());
    const std::string stream = bytes_of_base64(each["b64"].get<std::string>());
    if (!each["accepted"].get<bool>()) {
      EXPECT_THROW(guava::decode(bytes_of(stream)), FormatError);
      continue;
    }
    EXPECT_EQ(text_of(guava::encode(guava::decode(bytes_of(stream)))),
              bytes_of_base64(each["re_serialized_b64"].get<std::string>()));
  }
}

TEST(Guava, SaysWhereAStreamIsWrong) {
  const std::string stream("\1\0\0\0\0\1\0\0\0\0\0\0\0\0", 14);
  try {
    guava::decode(bytes_of(stream));
    FAIL();
  } catch (const FormatError& error) {
    EXPECT_STREQ(error.what(), "not a Guava BloomFilter: probe count at byte 1: 0; at least 1");
  }
}

TEST(Guava, RefusesWhatGuavaRefuses) {
  EXPECT_THROW(guava::create(10, 0), std::invalid_argument);
  EXPECT_THROW(guava::create(10, 1), std::invalid_argument);
  EXPECT_THROW(guava::create(1, 1e-80), std::invalid_argument);  // 266 probes
  EXPECT_THROW(guava::create(std::uint64_t{1} << 50, 0.01), std::invalid_argument);
}

TEST(Guava, ReadsAStreamOfManyLongsOnlyWhereTheyAre) {
  const std::string stream("\1\5\x7f\xff\xff\xff", 6);
  EXPECT_THROW(guava::decode(bytes_of(stream)), FormatError);
}

// Guava 31.1 was measured at 3 %: five times that with 5 x 10^8 keys, and 60 % with 10^9.
TEST(Guava, SaysTheRateOfPositionsThatEnd) {
  const auto rate = [](FilterKind kind, std::uint64_t keys) {
    const Geometry geometry = guava::geometry(keys, 0.03, guava::ProbeRule::from_rate);
    return kind_of(kind).rate({.geometry = geometry}, static_cast<double>(keys));
  };
  EXPECT_NEAR(rate(FilterKind::mitz_32, 10'000'000), 0.03, 0.0005);
  EXPECT_NEAR(rate(FilterKind::mitz_32, 500'000'000), 5 * 0.03, 0.01);
  EXPECT_NEAR(rate(FilterKind::mitz_32, 1'000'000'000), 0.6, 0.01);
  EXPECT_NEAR(rate(FilterKind::mitz_64, 1'000'000'000), 0.03, 0.0005);
}

}  // namespace
