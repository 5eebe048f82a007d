// SPDX-License-Identifier: Apache-2.0
// The JavaScript class as published, and what it should have been, recorded from node.
#include "bloomery/format/javascript.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "bloomery/bits/bit_view.h"
#include "bloomery/errors.h"
#include "bloomery/format/ecmascript.h"
#include "bloomery/format/kinds.h"
#include "bloomery/text/utf16.h"
#include "tests/format/foreign_vectors.h"
#include "tests/support/golden.h"
#include "tests/support/sha256.h"
#include "tests/support/utf16.h"

using namespace bloomery;
using namespace bloomery::golden;
using nlohmann::json;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

const json& javascript_vectors() {
  static const json all = golden::read("js.json");
  return all;
}

std::string key_of(const json& vector) {
  return string_key({{"utf16_hex", vector["utf16_hex"]}});
}

template <class Scheme>
void expect_positions(const char* section, std::uint32_t options) {
  FilterParameters parameters;
  parameters.foreign_options = options;
  const Scheme probes(parameters);
  for (const json& each : javascript_vectors()["hash_vectors"]) {
    const std::string key = key_of(each);
    for (std::uint32_t i = 0; i < 8; ++i) {
      EXPECT_EQ(probes.position(key, i, javascript_vectors()["bits"]), each[section][i])
          << each << " seed " << i;
    }
  }
}

TEST(Javascript, ProbesAsPublished) {
  expect_positions<JavascriptProbes>("as_published", 0);
}

TEST(Javascript, ProbesAsMeantInInt32) {
  expect_positions<JavascriptSaneProbes>("variant_charCodeAt_int32", 0);
}

TEST(Javascript, ProbesAsMeantInDoubles) {
  expect_positions<JavascriptSaneProbes>("variant_charCodeAt_double",
                                         JavascriptSaneProbes::kInDoubles);
}

// Number(text), of a text that is a number up to its end.
double number_of(const std::string& text) {
  std::size_t end = 0;
  try {
    const double value = std::stod(text, &end);
    return end == text.size() ? value : std::nan("");
  } catch (const std::out_of_range&) {
    return kInfinity;
  }
}

TEST(Javascript, GoesThroughTheSameTexts) {
  for (const json& trace : javascript_vectors()["string_result_traces"]) {
    const std::string digits = trace["s"];
    for (const json& steps : trace["steps"]) {
      double result = 0;
      for (std::size_t i = 0; i < digits.size(); ++i) {
        result = ecmascript::append(steps["seed"].get<double>() * result,
                                    static_cast<std::uint16_t>(digits[i]));
        const double expected = number_of(steps["result_after_each_char"][i]);
        EXPECT_TRUE(result == expected || (std::isnan(result) && std::isnan(expected)))
            << steps << " at " << i;
      }
    }
  }
}

TEST(Javascript, ReadsNumbersByEcmascriptsRules) {
  using ecmascript::append;
  EXPECT_EQ(append(12, '3'), 123);
  EXPECT_EQ(append(12, '.'), 12);     // "12."
  EXPECT_EQ(append(12, ' '), 12);     // "12 "
  EXPECT_EQ(append(12, 0x3000), 12);  // an ideographic space
  EXPECT_EQ(append(12, 0xfeff), 12);
  EXPECT_EQ(append(0, '7'), 7);              // "07"
  EXPECT_EQ(append(1e21, '0'), 1e210);       // "1e+210"
  EXPECT_EQ(append(1e20, '5'), 1e21);        // "1000000000000000000005", rounded
  EXPECT_EQ(append(1e21, '9'), 1e219);       // "1e+219"
  EXPECT_EQ(append(1e150, '0'), kInfinity);  // "1e+1500"
  EXPECT_EQ(append(kInfinity, ' '), kInfinity);
  for (const char unit : {'x', 'e', 'n', '_', '-', '+', 'a'}) {
    EXPECT_TRUE(std::isnan(append(0, static_cast<std::uint16_t>(unit)))) << unit;
  }
  EXPECT_TRUE(std::isnan(append(0, 0xff11)));  // a digit, but not ASCII's
  EXPECT_TRUE(std::isnan(append(0, 0x180e)));  // no space since Unicode 6.3
  EXPECT_TRUE(std::isnan(append(1e21, '.')));  // "1e+21."
  EXPECT_TRUE(std::isnan(append(kInfinity, '1')));
  EXPECT_TRUE(std::isnan(append(std::nan(""), ' ')));
  EXPECT_EQ(ecmascript::to_int32(4294967296.0 * 3 + 5), 5U);
  EXPECT_EQ(ecmascript::to_int32(kInfinity), 0U);
  EXPECT_EQ(ecmascript::to_int32(std::nan("")), 0U);
}

TEST(Javascript, TakesKeysThatAreNoNumbersForOneAnother) {
  AnyFilter filter = javascript::kFormat.decode({}, {});
  EXPECT_FALSE(filter.may_contain("5"));
  filter.insert("5");
  EXPECT_TRUE(filter.may_contain("5"));
  EXPECT_FALSE(filter.may_contain("6"));
  EXPECT_FALSE(filter.may_contain("abc"));
  filter.insert("0");
  for (const char* const key : {"abc", "", "1a"}) EXPECT_TRUE(filter.may_contain(key)) << key;
  EXPECT_EQ(BitView(filter.contents().words.front()).count_ones(), 2U);
}

TEST(Javascript, SetsTheSameBits) {
  const json& each = javascript_vectors()["filters"][0];
  AnyFilter filter = javascript::kFormat.decode({}, {});
  insert_all(filter, text_keys("%d"), 0, 2000);
  EXPECT_EQ(each["sorted_set_bits_sha256_of_decimal_lines"],
            sha256(lines_of(set_positions(filter))));
  EXPECT_EQ(each["probe_present_count"], present(filter, text_keys("%d"), 10'000, 400'000).size());
}

TEST(Javascript, KeepsWhichNumbersTheSaneOneHas) {
  const FormatSettings settings{{"numbers", "double"}, {"bits", "65536"}};
  AnyFilter filter = javascript::kSaneFormat.decode({}, settings);
  // The key is so long that both kinds of number differ.
  filter.insert("a key so long that doubles round");
  const auto bytes = encode(javascript::kSaneFormat, filter.contents());
  const FormatSettings kept = javascript::kSaneFormat.settings_of(filter.contents());
  EXPECT_TRUE(
      javascript::kSaneFormat.decode(bytes, kept).may_contain("a key so long that doubles round"));
  EXPECT_FALSE(javascript::kSaneFormat.decode(bytes, {{"bits", "65536"}})
                   .may_contain("a key so long that doubles round"));
  EXPECT_THROW(filter.merge(javascript::kSaneFormat.decode({}, {{"bits", "65536"}})),
               IncompatibleError);
  EXPECT_THROW(javascript::kSaneFormat.decode({}, {{"numbers", "float"}}), std::invalid_argument);
  FilterContents strange{.parameters = filter.parameters()};
  strange.parameters.foreign_options = 2;
  EXPECT_THROW(check_any_contents(strange), FormatError);
}

}  // namespace
