// SPDX-License-Identifier: Apache-2.0
#include "bloomery/hash/sip_hash.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace bloomery {
namespace {

// Key 00 01 .. 0f, input 00 01 .. of growing length.
constexpr SipKey kPaperKey{0x0706050403020100, 0x0f0e0d0c0b0a0908};

std::string counting_bytes(std::size_t size) {
  std::string bytes;
  for (std::size_t i = 0; i < size; ++i) bytes += static_cast<char>(i);
  return bytes;
}

TEST(SipHash, EqualsTheValuesOfItsAuthors) {
  const SipHash<2, 4> hash(kPaperKey);
  const std::array<std::uint64_t, 9> reference{
      0x726fdb47dd0e0e31, 0x74f839c593dc67fd, 0x0d6c8009d9a94f5a,
      0x85676696d7fb7e2d, 0xcf2794e0277187b7, 0x18765564cd99a68d,
      0xcbc9466e58fee3ce, 0xab0200f58b01d137, 0x93f5f5799a932462,
  };
  for (std::size_t size = 0; size < reference.size(); ++size) {
    EXPECT_EQ(hash(counting_bytes(size)), reference[size]) << size << " bytes";
  }
  EXPECT_EQ(hash(counting_bytes(15)), 0xa129ca6149be45e5U);  // appendix A of the paper
}

// The values are CPython 3.11's hashes of bytes under PYTHONHASHSEED=0: SipHash-1-3 with a key of
// zeros.
TEST(SipHash, WithFewerRoundsEqualsAnotherImplementation) {
  const SipHash<1, 3> hash(SipKey{});
  EXPECT_EQ(hash("a"), 0x407448d2b89b1813U);
  EXPECT_EQ(hash("12345678"), 0x3489982430560a87U);
  EXPECT_EQ(hash("a longer key, of more than one word"), 0x95dcf3179af0253bU);
}

TEST(SipHash, DependsOnBothWordsOfItsKey) {
  const std::uint64_t hash = SipHash<1, 3>(SipKey{})("key");
  EXPECT_NE((SipHash<1, 3>(SipKey{1, 0})("key")), hash);
  EXPECT_NE((SipHash<1, 3>(SipKey{0, 1})("key")), hash);
}

}  // namespace
}  // namespace bloomery
