// SPDX-License-Identifier: Apache-2.0
#include "bloomery/format/dcso.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "bloomery/errors.h"
#include "tests/format/foreign_vectors.h"
#include "tests/source/temporary_folder.h"
#include "tests/support/golden.h"
#include "tests/support/read_file.h"

using namespace bloomery;
using namespace bloomery::golden;
using nlohmann::json;
using ::testing::HasSubstr;

namespace {

TEST(Dcso, SizesAsTheToolDoes) {
  for (const json& each : golden::read("dcso.json")["sizing"]) {
    if (each["m"] == 0) {
      EXPECT_THROW(created(dcso::kFormat, each["n"], each["p"]), std::invalid_argument) << each;
      continue;
    }
    const Geometry geometry = created(dcso::kFormat, each["n"], each["p"]).geometry();
    EXPECT_EQ(geometry.bit_count, each["m"]) << each;
    EXPECT_EQ(geometry.probe_count, each["k"]) << each;
  }
}

TEST(Dcso, WritesAndAnswersAsTheToolDid) {
  for (const json& each : golden::read("dcso.json")["filters"]) {
    SCOPED_TRACE(each["key_pattern"]);
    const MakeKey key = text_keys(each["key_pattern"]);
    const std::int64_t to = each["insert_to_exclusive"];
    const std::string theirs = bytes_of_hex(each["file_hex"]);
    const std::string data = each["data"];

    AnyFilter filter = created(dcso::kFormat, each["n"], each["p"]);
    insert_all(filter, key, 0, to);
    EXPECT_EQ(written_as(dcso::kFormat, filter) + data, theirs);
    const AnyFilter read = dcso::decode(bytes_of(theirs));
    EXPECT_EQ(each["probe_indices_reported_present"],
              present(read, key, each["probe_from"], each["probe_to_exclusive"]));
    EXPECT_EQ(present(read, key, 0, to).size(), static_cast<std::size_t>(to));
    EXPECT_EQ(read.inserted(), filter.inserted());
    EXPECT_EQ(read.capacity(), each["n"]);
    EXPECT_EQ(read.parameters().false_positive_rate, each["p"]);
    EXPECT_EQ(written_as(dcso::kFormat, read), theirs);
  }
}

// The chain may meet a value at or above the prime, although no text is known to reach one.
TEST(Dcso, TakesTheProductModuloThePrime) {
  constexpr std::uint64_t kHuge = std::uint64_t{1} << 59;
  std::uint64_t inverse = 1;  // of the factor, modulo 2^64
  for (int step = 0; step < 6; ++step) inverse *= 2 - dcso::Probes::kFactor * inverse;
  const HashPair above{(dcso::Probes::kPrime + 5) * inverse, 0};
  EXPECT_EQ(dcso::Probes::position(above, 0, kHuge), 5U);
  EXPECT_EQ(dcso::Probes::position(above, 1, kHuge), 5 * dcso::Probes::kFactor % kHuge);
}

TEST(Dcso, NamesWhatItRefuses) {
  const std::string good = written_as(dcso::kFormat, created(dcso::kFormat, 10, 0.1));
  const auto with = [&](std::size_t at, std::uint64_t value) {
    std::string bytes = good;
    bytes.replace(at, 8, reinterpret_cast<const char*>(&value), 8);
    return refusal(dcso::kFormat, bytes);
  };
  EXPECT_EQ(with(0, 0xab01), "taken");  // the tool looks at the lowest byte alone
  EXPECT_THAT(with(0, 2), HasSubstr("version at byte 0: 2; 1 is known"));
  EXPECT_THAT(with(8, 0), HasSubstr("n at byte 8"));
  EXPECT_THAT(with(16, 0), HasSubstr("p at byte 16"));
  EXPECT_THAT(with(16, 0x7ff8000000000000), HasSubstr("p at byte 16"));
  EXPECT_THAT(with(24, 0), HasSubstr("k at byte 24: 0 probes"));
  EXPECT_THAT(with(24, std::uint64_t{1} << 63), HasSubstr("k at byte 24"));
  EXPECT_THAT(with(32, 0), HasSubstr("m at byte 32"));
  EXPECT_THAT(with(32, ~std::uint64_t{0}), HasSubstr("m at byte 32"));
  EXPECT_THAT(with(32, std::uint64_t{1} << 59), HasSubstr("bits at byte 48"));
  EXPECT_THAT(with(48, std::uint64_t{1} << 47), HasSubstr("last word at byte 48"));
  EXPECT_THAT(refusal(dcso::kFormat, good.substr(0, 47)), HasSubstr("N at byte 40"));
  EXPECT_THAT(refusal(dcso::kFormat, "\x1f\x8b\x08"), HasSubstr("gunzip"));
}

// Debian's golang-github-dcso-bloom-cli; there are other programs of the name.
class Tool : public ::testing::Test {
 protected:
  void SetUp() override {
#ifdef _WIN32
    GTEST_SKIP() << "its shell would take the rest of the line for names of files";
#endif
    if (shell("bloom --help | grep -q 'work with bloom filters'", "") != 0) {
      GTEST_SKIP() << "the command bloom is not installed: golang-github-dcso-bloom-cli";
    }
  }

  int shell(const std::string& line, const std::string& input) {
    folder_.write("in", input);
    const std::string whole = "cd '" + folder_.path("") + "' && { " + line + "; } <in >out 2>err";
    return std::system(whole.c_str());
  }

  std::string file(const std::string& name) {
    return bloomery::testing::read_file(folder_.path(name));
  }

  static std::string lines(const std::string& prefix, int count) {
    std::string all;
    for (int i = 0; i < count; ++i) all += prefix + std::to_string(i) + "\n";
    return all;
  }

  TemporaryFolder folder_;
};

TEST_F(Tool, ReadsFiltersMadeHereAndGoesOnWithThem) {
  AnyFilter filter = created(dcso::kFormat, 3000, 0.02);
  insert_all(filter, text_keys("ours %d"), 0, 1500);
  folder_.write("f", written_as(dcso::kFormat, filter));
  ASSERT_EQ(shell("bloom check f", lines("ours ", 1500)), 0);
  EXPECT_EQ(file("out"), lines("ours ", 1500));

  const std::string strangers = lines("stranger ", 5000);
  ASSERT_EQ(shell("bloom check f", strangers), 0);
  std::string expected;
  for (const std::int64_t i : present(filter, text_keys("stranger %d"), 0, 5000)) {
    expected += "stranger " + std::to_string(i) + "\n";
  }
  EXPECT_EQ(file("out"), expected);

  ASSERT_EQ(shell("bloom insert f", lines("theirs ", 1500)), 0);
  insert_all(filter, text_keys("theirs %d"), 0, 1500);
  EXPECT_EQ(file("f"), written_as(dcso::kFormat, filter));
  EXPECT_EQ(dcso::decode(bytes_of(file("f"))).inserted(), filter.inserted());
}

TEST_F(Tool, MakesFiltersThatAreReadHereWithTheirData) {
  ASSERT_EQ(shell("bloom create -n 2000 -p 0.001 f", lines("key ", 2000)), 0);
  ASSERT_EQ(shell("bloom set-data f", "what it is\nand of when\n"), 0);
  const std::string theirs = file("f");
  AnyFilter filter = dcso::decode(bytes_of(theirs));
  EXPECT_EQ(present(filter, text_keys("key %d"), 0, 2000).size(), 2000U);
  EXPECT_EQ(written_as(dcso::kFormat, filter), theirs);
  filter.insert("one more");
  folder_.write("f", written_as(dcso::kFormat, filter));
  ASSERT_EQ(shell("bloom get-data f", ""), 0);
  EXPECT_EQ(file("out"), "what it is\nand of when\n");
  ASSERT_EQ(shell("bloom check f", "one more\n"), 0);
  EXPECT_EQ(file("out"), "one more\n");

  ASSERT_EQ(shell("bloom --gzip create -n 20 -p 0.1 g", "a\n"), 0);
  EXPECT_THROW(dcso::decode(bytes_of(file("g"))), FormatError);
}

}  // namespace
