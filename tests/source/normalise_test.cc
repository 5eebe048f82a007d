// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/normalise.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

namespace bloomery {
namespace {

std::string of(Normalise normalise, std::string_view text) {
  std::string room;
  const std::string result(normalised(normalise, text, room));
  EXPECT_LE(result.size(), normalised_byte_limit(normalise, text.size()));
  return result;
}

TEST(Normalise, LeavesTextAsItIsWhereNobodyAsked) {
  EXPECT_EQ(of(Normalise::none, " Ann\t"), " Ann\t");
}

TEST(Normalise, TrimsAndLowersAsTheDatabaseCompares) {
  EXPECT_EQ(of(Normalise::trim, " \tAnn B \r\n"), "Ann B");
  EXPECT_EQ(of(Normalise::trim, "  "), "");
  EXPECT_EQ(of(Normalise::lower, "ANN-\xc3\x89Z"), "ann-\xc3\x89z") << "no letter but A to Z";
  EXPECT_EQ(of(Normalise::trim | Normalise::lower, " ANN "), "ann");
}

TEST(Normalise, WritesAUrlInItsCanonicalForm) {
  EXPECT_EQ(of(Normalise::url, "HTTP://E.com"), "http://e.com/") << "one byte longer";
  EXPECT_EQ(of(Normalise::trim | Normalise::url, " HTTP://E.com:80/./x#top\r\n"), "http://e.com/x");
}

TEST(Normalise, WritesEveryIntegerOneWay) {
  for (const char* const seven : {"7", "007", "+7", " 7 ", "7.0", "7.", "0007.000", "7.0e0"}) {
    EXPECT_EQ(of(Normalise::integer, seven), "7") << seven;
  }
  for (const char* const zero : {"0", "-0", "000", "+0.0", "0.0"}) {
    EXPECT_EQ(of(Normalise::integer, zero), "0") << zero;
  }
  EXPECT_EQ(of(Normalise::integer, "-007"), "-7");
  EXPECT_EQ(of(Normalise::integer, "1.0e+14"), "100000000000000");
  EXPECT_EQ(of(Normalise::integer, "-9223372036854775808"), "-9223372036854775808");
  EXPECT_EQ(of(Normalise::integer, "18446744073709551615"), "18446744073709551615");
}

// A doubtful integer would become an absent key, so it is refused.
TEST(Normalise, RefusesWhatIsNoIntegerOrNoLongerExact) {
  for (const char* const text : {"", " ", "seven", "7a", "7.5", "0x7", ".", "-", "1.0e+15", "1e400",
                                 "18446744073709551616", "-9223372036854775809", "7 7", "--7"}) {
    EXPECT_THROW(of(Normalise::integer, text), std::invalid_argument) << text;
  }
}

}  // namespace
}  // namespace bloomery
