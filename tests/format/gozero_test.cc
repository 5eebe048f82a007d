// SPDX-License-Identifier: Apache-2.0
// go-zero's filter and bitmaps, recorded from Go.
#include "bloomery/format/gozero.h"

#include <gtest/gtest.h>

#include "bloomery/bits/bit_view.h"
#include "bloomery/errors.h"
#include "tests/format/foreign_vectors.h"
#include "tests/support/golden.h"

using namespace bloomery;
using namespace bloomery::golden;
using nlohmann::json;

namespace {

TEST(Gozero, ProbesAsGozeroDoes) {
  const GozeroProbes probes{FilterParameters{}};
  for (const json& each : golden::read("gozero.json")["hash_vectors"]) {
    const std::string key = bytes_of_hex(each["in_hex"]);
    for (const json& set : each["positions"]) {
      for (std::uint32_t i = 0; i < 14; ++i) {
        EXPECT_EQ(GozeroProbes::position(key, i, set["bits"]), set["locations"][i]) << each;
      }
    }
  }
}

TEST(Gozero, FillsBitmapsToTheSameBytesAndAnswers) {
  for (const json& each : golden::read("gozero.json")["filters"]) {
    SCOPED_TRACE(each["redis_key"].get<std::string>());
    const FormatSettings settings{{"bits", std::to_string(each["bits"].get<std::uint64_t>())}};
    AnyFilter filter = gozero::kFormat.decode({}, settings);
    const MakeKey make = text_keys(each["key_pattern"]);
    insert_all(filter, make, each["insert_from"], each["insert_to_exclusive"]);
    EXPECT_EQ(BitView(filter.contents().words.front()).count_ones(), each["bitcount"]);
    const auto positives = present(filter, make, each["probe_from"], each["probe_to_exclusive"]);
    EXPECT_EQ(each["probe_indices_reported_present"], positives);
    const std::string theirs = bytes_of_base64(each["string_b64"].get<std::string>());
    EXPECT_EQ(text_of(encode(gozero::kFormat, filter.contents())), theirs);
    const AnyFilter read = gozero::kFormat.decode(bytes_of(theirs), settings);
    EXPECT_EQ(present(read, make, each["probe_from"], each["probe_to_exclusive"]), positives);
  }
}

TEST(Gozero, NeedsToBeToldItsBits) {
  EXPECT_THROW(gozero::kFormat.decode({}, {}), std::invalid_argument);
  EXPECT_THROW(gozero::kFormat.decode({}, {{"bits", "4294967297"}}), std::invalid_argument);
  // The last byte has bits beyond the 12.
  EXPECT_THROW(gozero::kFormat.decode(bytes_of("\x01\x01"), {{"bits", "12"}}), FormatError);
  EXPECT_EQ(gozero::kFormat.create({.capacity = 100}, {{"bits", "20000"}}).geometry().bit_count,
            20000U);
  EXPECT_THROW(gozero::kFormat.create({.capacity = 100}, {{"bits", "100"}}), std::invalid_argument);
}

}  // namespace
