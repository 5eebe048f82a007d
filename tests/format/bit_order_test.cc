// SPDX-License-Identifier: Apache-2.0
#include "bloomery/format/bit_order.h"

#include <gtest/gtest.h>

#include <vector>

#include "bloomery/bits/bit_ops.h"
#include "bloomery/errors.h"

using namespace bloomery;

namespace {

std::vector<std::byte> written(std::span<const std::uint64_t> words, std::uint64_t byte_count,
                               BitOrder order) {
  std::vector<std::byte> bytes;
  write_bits(words, byte_count, order, [&](std::span<const std::byte> piece) {
    bytes.insert(bytes.end(), piece.begin(), piece.end());
  });
  return bytes;
}

TEST(BitOrder, PutsEveryBitWhereItBelongs) {
  for (std::uint64_t bit = 0; bit < 200; ++bit) {
    std::vector<std::uint64_t> words(4);
    set_bit(words, bit);
    const auto lsb = written(words, 32, BitOrder::lsb_first);
    const auto msb = written(words, 32, BitOrder::msb_first);
    EXPECT_EQ(lsb[bit / 8], std::byte(1 << bit % 8));
    EXPECT_EQ(msb[bit / 8], std::byte(0x80 >> bit % 8));
    for (const BitOrder order : {BitOrder::lsb_first, BitOrder::msb_first}) {
      EXPECT_EQ(used_byte_count(words, order), bit / 8 + 1);
      const auto bytes = written(words, bit / 8 + 1, order);
      std::vector<std::uint64_t> read(4);
      read_bits(bytes, order, 200, read, "bits");
      EXPECT_EQ(read, words);
    }
  }
}

TEST(BitOrder, RefusesBytesAndBitsBeyondTheLast) {
  std::vector<std::uint64_t> words(1);
  const std::vector<std::byte> two(2, std::byte{0});
  EXPECT_THROW(read_bits(two, BitOrder::lsb_first, 8, words, "bits"), FormatError);
  const std::vector<std::byte> full(1, std::byte{0xff});
  EXPECT_THROW(read_bits(full, BitOrder::lsb_first, 7, words, "bits"), FormatError);
  words = {0};
  EXPECT_THROW(read_bits(full, BitOrder::msb_first, 7, words, "bits"), FormatError);
  words = {0};
  read_bits(full, BitOrder::msb_first, 8, words, "bits");
  EXPECT_EQ(words[0], 0xffU);
}

TEST(BitOrder, WritesLongArraysInPieces) {
  std::vector<std::uint64_t> words(20'000);
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = i * 0x9e3779b97f4a7c15;
  const auto bytes = written(words, 159'999, BitOrder::msb_first);
  ASSERT_EQ(bytes.size(), 159'999U);
  std::vector<std::uint64_t> read(words.size());
  read_bits(bytes, BitOrder::msb_first, 1'280'000, read, "bits");
  words.back() &= ~std::uint64_t{0} >> 8;
  EXPECT_EQ(read, words);
}

TEST(BitOrder, CountsNoByteOfAnEmptyArray) {
  EXPECT_EQ(used_byte_count(std::vector<std::uint64_t>(3), BitOrder::lsb_first), 0U);
}

}  // namespace
