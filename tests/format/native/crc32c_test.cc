// SPDX-License-Identifier: Apache-2.0
#include "bloomery/format/native/crc32c.h"

#include <gtest/gtest.h>

#include <random>
#include <string_view>
#include <vector>

namespace bloomery {
namespace {

std::uint32_t of(std::string_view text) {
  return crc32c(std::as_bytes(std::span(text)));
}

// RFC 3720 appendix B.4, and the check value of the CRC catalogues.
TEST(Crc32c, GivesThePublishedAnswers) {
  EXPECT_EQ(of(""), 0U);
  EXPECT_EQ(of("123456789"), 0xe3069283U);
  EXPECT_EQ(of(std::string(32, '\0')), 0x8a9136aaU);
  EXPECT_EQ(of(std::string(32, '\xff')), 0x62a8ab43U);
  std::string rising(32, '\0');
  for (std::size_t i = 0; i < rising.size(); ++i) rising[i] = static_cast<char>(i);
  EXPECT_EQ(of(rising), 0x46dd794eU);
  EXPECT_EQ(of(std::string(rising.rbegin(), rising.rend())), 0x113fdb5cU);
}

std::vector<std::byte> random_bytes(std::size_t count) {
  std::mt19937_64 random(7);
  std::vector<std::byte> bytes(count);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random() & 0xff);
  return bytes;
}

#if defined(__x86_64__)
TEST(Crc32c, IsTheSameWithAndWithoutTheInstruction) {
  if (!has_crc32c_instruction()) GTEST_SKIP() << "this processor has no CRC32C instruction";
  const auto bytes = random_bytes(70'000);
  for (std::size_t from = 0; from < 9; ++from) {
    for (const std::size_t count : {0, 1, 7, 8, 9, 63, 6143, 6144, 6145, 12'288, 65'536}) {
      const auto part = std::span(bytes).subspan(from, count);
      EXPECT_EQ(crc32c_by_instruction(part, 5), crc32c_by_table(part, 5)) << from << " " << count;
    }
  }
}
#endif

TEST(Crc32c, GoesOnFromThePartBefore) {
  const auto bytes = random_bytes(20'000);
  const std::uint32_t whole = crc32c(bytes);
  for (const std::size_t cut : {0, 1, 100, 6144, 19'999, 20'000}) {
    const auto both = std::span(bytes);
    EXPECT_EQ(crc32c(both.subspan(cut), crc32c(both.first(cut))), whole) << cut;
  }
}

}  // namespace
}  // namespace bloomery
