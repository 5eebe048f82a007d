// SPDX-License-Identifier: Apache-2.0
#include "bloomery/format/bloom_filter_helper.h"

#include <gtest/gtest.h>

#include "bloomery/format/mitz_probes.h"
#include "tests/format/foreign_vectors.h"
#include "tests/support/golden.h"
#include "tests/support/utf16.h"

using namespace bloomery;
using namespace bloomery::golden;
using nlohmann::json;

namespace {

const Format& format() {
  return bloom_filter_helper::kFormat;
}

TEST(BloomFilterHelper, SizesAsTheClassDoes) {
  for (const json& each : golden::read("jackxu_redis.json")["sizing"]) {
    SCOPED_TRACE(each.dump());
    const double rate = each["p"];
    if (rate == 0 || each["bitSize"] == 0) {
      EXPECT_THROW(bloom_filter_helper::geometry(each["n"], rate), std::invalid_argument);
      continue;
    }
    const Geometry geometry = bloom_filter_helper::geometry(each["n"], rate);
    EXPECT_EQ(geometry.bit_count, each["bitSize"]);
    EXPECT_EQ(geometry.probe_count, each["numHashFunctions"]);
  }
}

TEST(BloomFilterHelper, ProbesAsTheClassDoes) {
  const Mitz32Probes probes{FilterParameters{}};
  for (const json& each : golden::read("jackxu_redis.json")["offset_vectors"]) {
    const HashPair hash = probes.hash(string_key(each["key"]));
    for (const json& set : each["offsets"]) {
      const Geometry geometry = bloom_filter_helper::geometry(set["n"], set["p"]);
      for (std::uint32_t i = 0; i < set["offsets"].size(); ++i) {
        EXPECT_EQ(Mitz32Probes::position(hash, i, geometry.bit_count), set["offsets"][i]) << each;
      }
    }
  }
}

TEST(BloomFilterHelper, FillsBitmapsToTheSameBytesAndAnswers) {
  for (const json& each : golden::read("jackxu_redis.json")["filters"]) {
    const FormatSettings settings{{"capacity", std::to_string(each["n"].get<int>())},
                                  {"rate", each["p"].dump()}};
    AnyFilter filter = format().decode({}, settings);
    const MakeKey make = text_keys(each["key_pattern"]);
    insert_all(filter, make, each["insert_from"], each["insert_to_exclusive"]);
    const auto positives = present(filter, make, each["probe_from"], each["probe_to_exclusive"]);
    EXPECT_EQ(each["probe_present"], positives);
    const std::string theirs = bytes_of_base64(each["redis_string_b64"].get<std::string>());
    EXPECT_EQ(text_of(encode(format(), filter.contents())), theirs);
    const AnyFilter read =
        format().decode(bytes_of(theirs), format().settings_of(filter.contents()));
    EXPECT_EQ(present(read, make, each["probe_from"], each["probe_to_exclusive"]), positives);
  }
}

}  // namespace
