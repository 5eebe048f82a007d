// SPDX-License-Identifier: Apache-2.0
// What is written is what the library behind it writes and its reader reads.
#include "cli/json.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>
#include <stdexcept>

namespace bloomery::cli {
namespace {

using Peer = nlohmann::ordered_json;

TEST(Json, WritesValuesAsAnotherWriterDoes) {
  const std::vector<std::uint64_t> counts{0, std::numeric_limits<std::uint64_t>::max()};
  const Json json{{"none", nullptr},
                  {"yes", true},
                  {"least", std::numeric_limits<std::int64_t>::min()},
                  {"counts", counts},
                  {"rate", 0.01},
                  {"empty", Json::array()},
                  {"nothing", Json::object()},
                  {"layers", {{{"capacity", 1U}, {"rate", 1e-9}}, {{"capacity", 2U}}}}};
  const Peer peer{{"none", nullptr},
                  {"yes", true},
                  {"least", std::numeric_limits<std::int64_t>::min()},
                  {"counts", counts},
                  {"rate", 0.01},
                  {"empty", Peer::array()},
                  {"nothing", Peer::object()},
                  {"layers", {{{"capacity", 1U}, {"rate", 1e-9}}, {{"capacity", 2U}}}}};
  EXPECT_EQ(json.dump(), peer.dump());
  EXPECT_EQ(json.dump(2), peer.dump(2));
}

TEST(Json, AddsNamesOnceAndInTheirOrder) {
  Json json;
  json["b"] = 1;
  json["a"].push_back("x");
  json["b"] = 2;
  EXPECT_EQ(json.dump(), R"({"b":2,"a":["x"]})");
  EXPECT_EQ(json.size(), 2U);
  EXPECT_THROW(json.push_back(1), std::logic_error);
  EXPECT_THROW(json["b"]["c"], std::logic_error);
}

TEST(Json, NumbersComeBackAsTheyWere) {
  std::mt19937_64 random(1);
  std::vector<double> numbers{
      0.0,  -0.0,  1e15,   1e16,   123456789012345.0,     1234567890123456.0, 1e-4,
      1e-5, -0.25, 12.125, 5e-324, 1.7976931348623157e308};
  for (int i = 0; i < 20'000; ++i) numbers.push_back(std::bit_cast<double>(random()));
  for (int i = 0; i < 20'000; ++i) numbers.push_back(std::ldexp(double(random() >> 40), i % 90));
  for (const double number : numbers) {
    const std::string text = Json(number).dump();
    if (!std::isfinite(number)) {
      ASSERT_EQ(text, "null");
      continue;
    }
    ASSERT_EQ(Peer::parse(text).get<double>(), number) << text;
  }
}

TEST(Json, AnyBytesBecomeValidText) {
  std::mt19937_64 random(1);
  std::vector<std::string> texts{"\xff.bloom", "a\0b\x1f\x7f\"\\\b\f\n\r\t/", "\xc3\xa9\xe2\x82"};
  for (int i = 0; i < 50'000; ++i) {
    std::string text;
    // Mostly bytes that begin or go on with a character, and the borders of what may follow them.
    constexpr unsigned char kBytes[] = {0x00, 0x41, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0,
                                        0xc1, 0xc2, 0xdf, 0xe0, 0xed, 0xef, 0xf0, 0xf4, 0xf5, 0xff};
    for (int n = 0; n < 6; ++n) text += static_cast<char>(kBytes[random() % std::size(kBytes)]);
    texts.push_back(text);
  }
  for (const std::string& text : texts) {
    ASSERT_EQ(Json(text).dump(), Peer(text).dump(-1, ' ', false, Peer::error_handler_t::replace));
  }
}

}  // namespace
}  // namespace bloomery::cli
