// SPDX-License-Identifier: Apache-2.0
// pyreBloom's hashes and bitmaps, recorded from its C code.
#include "bloomery/format/pyrebloom.h"

#include <gtest/gtest.h>

#include "bloomery/errors.h"
#include "bloomery/format/redis_bitmap.h"
#include "tests/format/foreign_vectors.h"
#include "tests/support/golden.h"

using namespace bloomery;
using namespace bloomery::golden;
using nlohmann::json;

namespace {

TEST(Pyrebloom, ProbesAsPyrebloomDoes) {
  const PyrebloomProbes probes{FilterParameters{}};
  for (const json& each : golden::read("pyrebloom.json")["hash_vectors"]) {
    const std::string key = bytes_of_hex(each["in_hex"]);
    for (const json& set : each["positions"]) {
      for (std::uint32_t i = 0; i < set["key_index_and_offset"].size(); ++i) {
        const std::uint64_t position = PyrebloomProbes::position(key, i, set["bits"]);
        EXPECT_EQ(json({position / pyrebloom::kPartBits, position % pyrebloom::kPartBits}),
                  set["key_index_and_offset"][i])
            << each;
      }
    }
  }
}

TEST(Pyrebloom, FillsBitmapsToTheSameBytesAndAnswers) {
  for (const json& each : golden::read("pyrebloom.json")["filters"]) {
    SCOPED_TRACE(each["key"].get<std::string>());
    const FormatSettings settings{{"capacity", std::to_string(each["capacity"].get<int>())},
                                  {"rate", each["error"].dump()}};
    AnyFilter filter = pyrebloom::kFormat.decode({}, settings);
    EXPECT_EQ(filter.geometry().bit_count, each["bits"]);
    EXPECT_EQ(filter.geometry().probe_count, each["hashes"]);
    const MakeKey make = text_keys(each["key_pattern"]);
    EXPECT_EQ(each["add_returned_0_for"],
              insert_all(filter, make, each["insert_from"], each["insert_to_exclusive"]));
    const auto positives = present(filter, make, each["probe_from"], each["probe_to_exclusive"]);
    EXPECT_EQ(each["probe_indices_reported_present"], positives);
    const std::string theirs = bytes_of_base64(each["string_b64"].get<std::string>());
    EXPECT_EQ(text_of(encode(pyrebloom::kFormat, filter.contents())), theirs);
    const AnyFilter read = pyrebloom::kFormat.decode(bytes_of(theirs), settings);
    EXPECT_EQ(present(read, make, each["probe_from"], each["probe_to_exclusive"]), positives);
  }
}

// The filter is split as pyreBloom splits it, only earlier: into parts with a number of bits at
// which no word begins.
TEST(Pyrebloom, SplitsFiltersIntoStrings) {
  constexpr std::uint64_t kPartBits = 4095;
  AnyFilter filter = pyrebloom::kFormat.create({.capacity = 2000}, {});
  insert_all(filter, text_keys("key:%d"), 0, 150);
  const FilterContents contents = filter.contents();
  const std::uint64_t bit_count = filter.geometry().bit_count;
  ASSERT_EQ(pyrebloom::part_count(bit_count, kPartBits), 5U);

  std::vector<std::string> parts(5);
  for (const std::uint64_t d : set_positions(filter)) {  // SETBIT of each
    std::string& part = parts[d / kPartBits];
    const std::uint64_t offset = d % kPartBits;
    if (part.size() <= offset / 8) part.resize(offset / 8 + 1);
    part[offset / 8] |= static_cast<char>(0x80 >> offset % 8);
  }
  std::vector<std::span<const std::byte>> spans;
  for (std::uint64_t part = 0; part < parts.size(); ++part) {
    std::string written;
    pyrebloom::encode_part(
        contents, part, [&](std::span<const std::byte> piece) { written += text_of(piece); },
        kPartBits);
    EXPECT_EQ(written, parts[part]) << part;
    spans.push_back(bytes_of(parts[part]));
  }
  const AnyFilter read = pyrebloom::decode_parts(filter.parameters(), spans, kPartBits);
  EXPECT_EQ(set_positions(read), set_positions(filter));

  spans.push_back({});
  EXPECT_THROW(pyrebloom::decode_parts(filter.parameters(), spans, kPartBits), FormatError);
  spans.resize(1);
  for (const std::string& strange : {std::string(513, '\0'), std::string(511, '\0') + '\x01'}) {
    spans[0] = bytes_of(strange);
    EXPECT_THROW(pyrebloom::decode_parts(filter.parameters(), spans, kPartBits), FormatError);
  }
}

TEST(Pyrebloom, RefusesWhatItCannotSize) {
  EXPECT_EQ(pyrebloom::part_count(4294967295), 1U);
  EXPECT_EQ(pyrebloom::part_count(4294967296), 2U);
  EXPECT_THROW(pyrebloom::geometry(0, 0.01), std::invalid_argument);
  EXPECT_THROW(pyrebloom::geometry(1, 0.9), std::invalid_argument);  // no bits
  EXPECT_THROW(pyrebloom::geometry(10, 1e-90), std::invalid_argument);
  EXPECT_THROW(pyrebloom::geometry(std::uint64_t{1} << 32, 0.01), std::invalid_argument);
  EXPECT_THROW(pyrebloom::kFormat.decode({}, {}), std::invalid_argument);
}

}  // namespace
