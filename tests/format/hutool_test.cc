// SPDX-License-Identifier: Apache-2.0
// Hutool's filters, recorded from Java.
#include "bloomery/format/hutool.h"

#include <gtest/gtest.h>

#include "bloomery/errors.h"
#include "bloomery/format/hutool_hashes.h"
#include "tests/format/foreign_vectors.h"
#include "tests/support/golden.h"
#include "tests/support/utf16.h"

using namespace bloomery;
using namespace bloomery::golden;
using nlohmann::json;

namespace {

const json& hutool_vectors() {
  static const json all = golden::read("hutool.json");
  return all;
}

TEST(Hutool, HashesAsHashUtilDoes) {
  for (const json& each : hutool_vectors()["hash_vectors"]) {
    SCOPED_TRACE(each.dump());
    const std::string key = string_key(each["key"]);
    EXPECT_EQ(hutool::default_hash(key), each["javaDefaultHash"]);
    EXPECT_EQ(hutool::elf_hash(key), each["elfHash"]);
    EXPECT_EQ(hutool::js_hash(key), each["jsHash"]);
    EXPECT_EQ(hutool::pjw_hash(key), each["pjwHash"]);
    EXPECT_EQ(hutool::sdbm_hash(key), each["sdbmHash"]);
    EXPECT_EQ(hutool::rs_hash(key), each["rsHash"]);
    EXPECT_EQ(hutool::bkdr_hash(key), each["bkdrHash"]);
    EXPECT_EQ(hutool::ap_hash(key), each["apHash"]);
    EXPECT_EQ(hutool::djb_hash(key), each["djbHash"]);
    const HutoolBitMapProbes probes{FilterParameters{}};
    for (const json& set : each["positions"]) {
      const std::uint64_t size = set["size"];
      for (std::uint32_t i = 0; i < 5; ++i) {
        EXPECT_EQ(HutoolBitMapProbes::position(key, i, 5 * size) - i * size,
                  set["positions_default_elf_js_pjw_sdbm"][i]);
      }
    }
  }
}

TEST(Hutool, SetsTheBitsOfFiveBitmaps) {
  const json& each = hutool_vectors()["bitmap_filter"];
  const std::uint64_t size = each["size_bits_per_sub_filter"];
  AnyFilter filter = hutool::kBitMapFormat.decode({}, {{"m", "5"}});
  const MakeKey make = text_keys(each["key_pattern"]);
  EXPECT_EQ(each["insert_indices_where_add_returned_false"],
            insert_all(filter, make, each["insert_from"], each["insert_to_exclusive"]));
  const json& by_bitmap = each["set_bit_positions_by_sub_filter"];
  std::vector<std::uint64_t> expected;
  std::uint64_t base = 0;
  for (const char* const name :
       {"DefaultFilter", "ELFFilter", "JSFilter", "PJWFilter", "SDBMFilter"}) {
    for (const std::uint64_t position : by_bitmap[name]) expected.push_back(base + position);
    base += size;
  }
  EXPECT_EQ(set_positions(filter), expected);
  const auto positives = present(filter, make, each["probe_from"], each["probe_to_exclusive"]);
  EXPECT_EQ(positives.size(), each["probe_present_count"]);

  // The size of the file says m.
  const auto bytes = encode(hutool::kBitMapFormat, filter.contents());
  EXPECT_EQ(bytes.size(), 5 * size / 8);
  EXPECT_EQ(set_positions(hutool::kBitMapFormat.decode(bytes, {})), expected);
  const auto cut = std::span(bytes).first(bytes.size() / 2);
  EXPECT_THROW(hutool::kBitMapFormat.decode(cut, {}), FormatError);
  EXPECT_NO_THROW(hutool::kBitMapFormat.decode(cut, {{"m", "9"}}));
}

TEST(Hutool, HasTheConstructorsCornerCases) {
  for (const json& each : hutool_vectors()["constructor_sizes"]) {
    SCOPED_TRACE(each.dump());
    if (each.contains("add_throws")) {
      EXPECT_THROW(hutool::bitmap_geometry(each["m"]), std::invalid_argument);
      continue;
    }
    const std::uint64_t ints = each["ints_per_sub_filter"];
    EXPECT_EQ(hutool::bitmap_geometry(each["m"]).bit_count, 5 * 32 * ints);
  }
  EXPECT_THROW(hutool::bitmap_geometry(40960), std::invalid_argument);
  EXPECT_THROW(hutool::bitset_geometry(100, 0), std::invalid_argument);
  EXPECT_THROW(hutool::bitset_geometry(100, 9), std::invalid_argument);
  EXPECT_THROW(hutool::bitset_geometry(0, 3), std::invalid_argument);
  EXPECT_THROW(hutool::bitset_geometry(std::uint64_t{1} << 30, 2), std::invalid_argument);
}

TEST(Hutool, SetsTheBitsOfABitSet) {
  const json& each = hutool_vectors()["bitset_filter"];
  const FormatSettings settings{{"c", "3000"}, {"n", "40"}, {"k", "5"}};
  AnyFilter filter = hutool::kBitSetFormat.decode({}, settings);
  EXPECT_EQ(filter.geometry().bit_count, each["bit_set_size"]);
  EXPECT_EQ(each["insert_indices_where_add_returned_false"],
            insert_all(filter, text_keys("\"user:\"+i"), 0, 40));
  EXPECT_EQ(set_positions(filter), each["set_bit_positions"].get<std::vector<std::uint64_t>>());
  EXPECT_DOUBLE_EQ(hutool::false_positive_probability(filter.geometry(), 40),
                   each["getFalsePositiveProbability"]);
  const auto bytes = encode(hutool::kBitSetFormat, filter.contents());
  EXPECT_EQ(set_positions(hutool::kBitSetFormat.decode(bytes, settings)), set_positions(filter));
  EXPECT_THROW(hutool::kBitSetFormat.decode(bytes, {{"c", "3000"}}), std::invalid_argument);
}

}  // namespace
