// SPDX-License-Identifier: Apache-2.0
// SimpleBloomFilter and its BitSet, recorded from Java.
#include "bloomery/format/simple_java.h"

#include <gtest/gtest.h>

#include "bloomery/bits/bit_view.h"
#include "bloomery/errors.h"
#include "bloomery/format/kinds.h"
#include "tests/format/foreign_vectors.h"
#include "tests/support/golden.h"
#include "tests/support/sha256.h"
#include "tests/support/utf16.h"

using namespace bloomery;
using namespace bloomery::golden;
using nlohmann::json;

namespace {

const json& simple_java_vectors() {
  static const json all = golden::read("simple_java.json");
  return all;
}

TEST(SimpleJava, ProbesAsTheClassDoes) {
  const SimpleJavaProbes probes{FilterParameters{}};
  for (const json& each : simple_java_vectors()["hash_vectors"]) {
    SCOPED_TRACE(each.dump());
    const std::string key = string_key(each["key"]);
    for (std::uint32_t i = 0; i < 8; ++i) {
      EXPECT_EQ(SimpleJavaProbes::position(key, i, simple_java_vectors()["bits"]),
                each["index"][i]);
      const auto whole = static_cast<std::int32_t>(unit_hash(key, SimpleJavaProbes::kFactors[i]));
      EXPECT_EQ(whole, each["int_hash_before_mask"][i]);
    }
  }
}

TEST(SimpleJava, FillsBitSetsToTheSameBytesAndAnswers) {
  const json& each = simple_java_vectors()["filter_small"];
  AnyFilter filter = simple_java::kFormat.decode({}, {});
  const MakeKey make = text_keys(each["key_pattern"]);
  insert_all(filter, make, each["insert_from"], each["insert_to_exclusive"]);
  EXPECT_EQ(each["sorted_set_bits_sha256_of_decimal_lines"],
            sha256(lines_of(set_positions(filter))));
  EXPECT_FALSE(filter.may_contain(""));
  const auto positives = present(filter, make, each["probe_from"], each["probe_to_exclusive"]);
  EXPECT_EQ(positives.size(), each["probe_present_count"]);

  const std::string bytes = text_of(encode(simple_java::kFormat, filter.contents()));
  EXPECT_EQ(bytes.size(), each["bitset_toByteArray_len"]);
  EXPECT_EQ(each["bitset_toByteArray_sha256"], sha256(bytes));
  const AnyFilter read = simple_java::kFormat.decode(bytes_of(bytes), {});
  EXPECT_EQ(BitView(read.contents().words.front()).count_ones(), each["set_bits"]);
}

TEST(SimpleJava, RepeatsTheExperimentOfItsArticle) {
  const json& each = simple_java_vectors()["filter_large"];
  AnyFilter filter = simple_java::kFormat.create({.capacity = 2'000'000}, {});
  insert_all(filter, text_keys("%d"), 0, 2'000'000);
  EXPECT_EQ(BitView(filter.contents().words.front()).count_ones(), each["set_bits"]);
  EXPECT_EQ(each["bitset_toByteArray_sha256"],
            sha256(text_of(encode(simple_java::kFormat, filter.contents()))));
  const auto positives = present(filter, text_keys("%d"), 2'000'000, 4'000'000);
  EXPECT_EQ(positives.size(), each["false_positives"]);
  expect_begins_with(positives, each["first_40_false_positives"]);
}

TEST(SimpleJava, TakesOtherPowersOfTwo) {
  AnyFilter filter = simple_java::kFormat.decode({}, {{"bits", "1024"}});
  EXPECT_EQ(filter.geometry().bit_count, 1024U);
  EXPECT_TRUE(filter.insert("a"));
  for (const char* const bits : {"1000", "2147483648"}) {
    EXPECT_THROW(simple_java::kFormat.decode({}, {{"bits", bits}}), std::invalid_argument);
  }
  EXPECT_THROW(simple_java::kFormat.create({.capacity = 1000}, {{"bits", "1024"}}),
               std::invalid_argument);
  EXPECT_THROW(simple_java::kFormat.create({.capacity = 0}, {}), std::invalid_argument);
  const std::string longer(129, '\0');
  EXPECT_THROW(simple_java::kFormat.decode(bytes_of(longer), {{"bits", "1024"}}), FormatError);
  EXPECT_THROW(check_any_contents({.parameters = {.kind = FilterKind::simple_java,
                                                  .geometry = {.bit_count = 96, .probe_count = 8},
                                                  .capacity = 1,
                                                  .false_positive_rate = 0.5}}),
               FormatError);
}

}  // namespace
