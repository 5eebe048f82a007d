// SPDX-License-Identifier: Apache-2.0
// Orestes' bitmaps, JSON and counters, recorded from Java and a server.
#include "bloomery/format/orestes.h"

#include <gtest/gtest.h>

#include "bloomery/bits/bit_view.h"
#include "bloomery/errors.h"
#include "bloomery/format/orestes_counts.h"
#include "tests/format/foreign_vectors.h"
#include "tests/support/golden.h"
#include "tests/support/utf16.h"

using namespace bloomery;
using namespace bloomery::golden;
using nlohmann::json;

namespace {

const json& orestes_vectors() {
  static const json all = golden::read("orestes.json");
  return all;
}

TEST(Orestes, ProbesAsOrestesDoes) {
  const OrestesProbes probes{FilterParameters{}};
  for (const json& each : orestes_vectors()["hash_positions"]) {
    const HashPair hash = probes.hash(string_key(each["key"]));
    EXPECT_EQ(hash.h1, each["murmur3_32_seed0"]);
    EXPECT_EQ(hash.h2, each["murmur3_32_seed_h1"]);
    for (const json& set : each["positions"]) {
      const auto bit_count = set["m"].get<std::uint64_t>();
      for (std::uint32_t i = 0; i < set["k"]; ++i) {
        EXPECT_EQ(OrestesProbes::position(hash, i, bit_count), set["Murmur3KirschMitzenmacher"][i]);
      }
    }
  }
}

TEST(Orestes, SizesAsOrestesDoes) {
  for (const json& each : orestes_vectors()["sizing"]) {
    const Geometry geometry = orestes::geometry(each["n"], each["p"]);
    EXPECT_EQ(geometry.bit_count, each["m"]) << each;
    EXPECT_EQ(geometry.probe_count, each["k"]) << each;
  }
  EXPECT_THROW(orestes::geometry(0, 0.01), std::invalid_argument);
  EXPECT_THROW(orestes::geometry(1'000'000'000, 0.01), std::invalid_argument);
  EXPECT_THROW(orestes::geometry(1000, 1e-80), std::invalid_argument);
}

TEST(Orestes, FillsBitmapsAndJsonToTheSameBytesAndAnswers) {
  for (const json& each : orestes_vectors()["redis_filters"]) {
    SCOPED_TRACE(each["name"].get<std::string>());
    const FormatSettings config = settings_of(each["config_hash"]);
    AnyFilter filter = orestes::kFormat.create(
        {.capacity = each["n"].get<std::uint64_t>(), .false_positive_rate = each["p"]}, {});
    EXPECT_EQ(orestes::kFormat.settings_of(filter.contents()), config) << "its reader wants all";
    const MakeKey make = text_keys(each["key_pattern"]);
    EXPECT_EQ(each["insert_indices_where_add_returned_false"],
              insert_all(filter, make, each["insert_from"], each["insert_to_exclusive"]));
    EXPECT_EQ(BitView(filter.contents().words.front()).count_ones(), each["bitcount"]);
    const auto answers = [&](const AnyFilter& of) {
      return present(of, make, each["probe_from"], each["probe_to_exclusive"]);
    };
    const std::vector<std::int64_t> positives = each["probe_indices_reported_present"];
    EXPECT_EQ(answers(filter), positives);

    const std::string bitmap = bytes_of_base64(each["bits_b64"].get<std::string>());
    EXPECT_EQ(text_of(encode(orestes::kFormat, filter.contents())), bitmap);
    EXPECT_EQ(answers(orestes::kFormat.decode(bytes_of(bitmap), config)), positives);

    const json document{{"m", each["json_m"]}, {"h", each["json_h"]}, {"b", each["json_b"]}};
    const std::string ours = text_of(encode(orestes::kJsonFormat, filter.contents()));
    EXPECT_EQ(json::parse(ours), document);
    EXPECT_TRUE(ours.starts_with("{\"m\":"));
    for (const std::string& text : {ours, document.dump(), document.dump(2)}) {
      EXPECT_EQ(answers(orestes::kJsonFormat.decode(bytes_of(text), {})), positives);
    }
  }
}

AnyFilter decode_json(const std::string& text, const FormatSettings& settings = {}) {
  return orestes::kJsonFormat.decode(bytes_of(text), settings);
}

TEST(Orestes, ReadsEscapesAndAnyOrderOfMembers) {
  const AnyFilter filter = decode_json(R"( { "b" : "AQ\u003d\u003D" , "h":2,"m":64 } )");
  EXPECT_EQ(set_positions(filter), std::vector<std::uint64_t>{0});
  EXPECT_EQ(set_positions(decode_json(R"({"b":"\/w==","h":2,"m":8})")).size(), 8U);
}

TEST(Orestes, RefusesJsonThatIsNoFilter) {
  for (const char* const text : {"",
                                 "{",
                                 "{}",
                                 "[]",
                                 R"({"m":64,"h":2})",
                                 R"({"m":64,"b":""})",
                                 R"({"h":2,"b":""})",
                                 R"({"m":64,"h":2,"b":"",})",
                                 R"({"m":64,"h":2,"b":""}x)",
                                 R"({"m":64,"h":2,"b":"","b":""})",
                                 R"({"m":64,"h":2,"b":"","c":1})",
                                 R"({"m":0,"h":2,"b":""})",
                                 R"({"m":64,"h":0,"b":""})",
                                 R"({"m":064,"h":2,"b":""})",
                                 R"({"m":6.4e1,"h":2,"b":""})",
                                 R"({"m":-64,"h":2,"b":""})",
                                 R"({"m":2147483648,"h":2,"b":""})",
                                 R"({"m":64,"h":256,"b":""})",
                                 R"({"m":"64","h":2,"b":""})",
                                 R"({"m":64,"h":2,"b":64})",
                                 R"({"m":64,"h":2,"b":"A"})",
                                 R"({"m":64,"h":2,"b":"AQ="})",
                                 R"({"m":64,"h":2,"b":"AR=="})",
                                 R"({"m":64,"h":2,"b":"A!=="})",
                                 R"({"m":64,"h":2,"b":"A===" })",
                                 R"({"m":64,"h":2,"b":"AQ==)",
                                 R"({"m":64,"h":2,"b":"\u00)",
                                 R"({"m":64,"h":2,"b":"\n"})",
                                 R"({"m":8,"h":2,"b":"AAE="})",
                                 R"({"m":4,"h":2,"b":"8A=="})"}) {
    EXPECT_THROW(decode_json(text), FormatError) << text;
  }
}

// A few bytes would otherwise take 256 MiB.
TEST(Orestes, BelievesJsonThatItIsLargeAndEmptyOnlyTwice) {
  const std::string text = R"({"m":2000000000,"h":2,"b":"AQ=="})";
  EXPECT_THROW(decode_json(text), FormatError);
  EXPECT_THROW(decode_json(text, {{"m", "64"}}), std::invalid_argument);
  EXPECT_EQ(
      decode_json(R"({"m":20000000,"h":2,"b":"AQ=="})", {{"m", "20000000"}}).geometry().bit_count,
      20'000'000U);
}

TEST(Orestes, ReadsOnlyTheMethodItKnows) {
  FormatSettings config{{"m", "64"}, {"k", "2"}, {"hashmethod", "Murmur3KirschMitzenmacher"}};
  EXPECT_NO_THROW(orestes::kFormat.decode({}, config));
  config["c"] = "8";
  const FormatSettings again =
      orestes::kFormat.settings_of(orestes::kFormat.decode({}, config).contents());
  EXPECT_EQ(again.at("c"), "8");
  config["c"] = "65";
  EXPECT_THROW(orestes::kFormat.decode({}, config), std::invalid_argument);
  config.erase("c");
  config["hashmethod"] = "MD5";
  EXPECT_THROW(orestes::kFormat.decode({}, config), std::invalid_argument);
  EXPECT_THROW(orestes::kFormat.decode({}, {{"m", "64"}}), std::invalid_argument);
}

orestes::Counts::Fields fields_of(const json& by_hex) {
  orestes::Counts::Fields fields;
  for (const auto& [name, value] : by_hex.items()) fields[bytes_of_hex(name)] = value;
  return fields;
}

TEST(OrestesCounts, CountAsOrestesDoes) {
  const json& each = orestes_vectors()["redis_counting"];
  const json& steps = each["steps"];
  const Geometry geometry = orestes::geometry(each["n"], each["p"]);
  const MakeKey make = text_keys("k%d");
  orestes::Counts counts(geometry);
  for (int i = 0; i < 30; ++i) counts.add(make(i));
  EXPECT_EQ(counts.encode(), fields_of(steps[0]["counts_field4BE_to_value"]));
  const auto bits = [&] { return text_of(encode(orestes::kFormat, counts.filter().contents())); };
  EXPECT_EQ(bits(), bytes_of_base64(steps[0]["bits_b64"].get<std::string>()));

  EXPECT_EQ(json({counts.add("k0"), counts.add("k0")}), steps[1]["returned"]);
  EXPECT_EQ(counts.count("k0"), steps[1]["getEstimatedCount"]);

  for (int i = 15; i < 30; ++i) EXPECT_TRUE(counts.remove(make(i)));
  EXPECT_EQ(counts.encode(), fields_of(steps[2]["counts_field4BE_to_value"]));
  EXPECT_EQ(bits(), bytes_of_base64(steps[2]["bits_b64"].get<std::string>()));
  for (int i = 0; i < 15; ++i) EXPECT_GE(counts.count(make(i)), 1U);

  // Orestes takes away a key here that was never added, and keys that were added are gone.
  const orestes::Counts::Fields before = counts.encode();
  EXPECT_FALSE(counts.remove("never added"));
  EXPECT_EQ(counts.encode(), before);
  EXPECT_EQ(orestes::Counts::decode(before, geometry).encode(), before);
  EXPECT_THROW(orestes::Counts::decode(fields_of(steps[3]["counts_field4BE_to_value"]), geometry),
               FormatError);
}

// Orestes counts a counter that is full down to zero, and loses the keys it had no room for.
TEST(OrestesCounts, StayAtTheirLargest) {
  const json& each = orestes_vectors()["memory_counting8_saturation"];
  orestes::Counts counts({.bit_count = 1000, .probe_count = 5}, orestes::Counts::kLargestOf8Bits);
  for (int i = 0; i < each["adds"]; ++i) counts.add("key");
  EXPECT_EQ(counts.count("key"), each["count_after_adds"]);
  for (int i = 0; i < 300; ++i) EXPECT_TRUE(counts.remove("key"));
  EXPECT_EQ(counts.count("key"), 255U);
  EXPECT_TRUE(counts.filter().may_contain("key"));
}

// Some of ten probes on four bits fall together, and their counter counts them all.
TEST(OrestesCounts, RemoveNothingWhereProbesFallTogether) {
  const Geometry geometry{.bit_count = 4, .probe_count = 10};
  orestes::Counts counts(geometry);
  counts.add("a");
  const orestes::Counts::Fields once = counts.encode();
  EXPECT_EQ(counts.count("a"), 1U);
  counts.add("b");
  EXPECT_TRUE(counts.remove("b"));
  EXPECT_EQ(counts.count("a"), 1U);
  EXPECT_TRUE(counts.remove("a"));
  EXPECT_FALSE(counts.remove("a"));
  for (const auto& [name, value] : counts.encode()) EXPECT_EQ(value, "0");
}

TEST(OrestesCounts, RefuseFieldsThatAreNoCounts) {
  const Geometry geometry{.bit_count = 1000, .probe_count = 5};
  using Fields = orestes::Counts::Fields;
  const std::string position("\0\0\0\x07", 4);
  for (const Fields& fields :
       {Fields{{"", "1"}}, Fields{{"\x01", "1"}}, Fields{{std::string("\0\0\x03\xe8", 4), "1"}},
        Fields{{position, ""}}, Fields{{position, "-1"}}, Fields{{position, "1x"}},
        Fields{{position, "9223372036854775808"}}}) {
    EXPECT_THROW(orestes::Counts::decode(fields, geometry), FormatError);
  }
  EXPECT_EQ(orestes::Counts::decode({{position, "300"}}, geometry, 255).encode(),
            (Fields{{position, "255"}}));
  EXPECT_THROW(orestes::Counts(Geometry{.bit_count = 0, .probe_count = 5}), FormatError);
}

}  // namespace
