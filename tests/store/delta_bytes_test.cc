// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "bloomery/errors.h"
#include "bloomery/format/native/file_layout.h"
#include "bloomery/store/delta_reader.h"
#include "bloomery/store/delta_writer.h"

namespace bloomery {
namespace {

using Bytes = std::vector<std::byte>;
using BodyWords = std::vector<std::uint64_t>;

const Bytes kHead(kHeaderBytes, std::byte{7});

Bytes delta_of(const BodyWords& from, const BodyWords& to, std::size_t piece_words = 8192) {
  Bytes all;
  DeltaWriter writer([&](auto bytes) { all.insert(all.end(), bytes.begin(), bytes.end()); }, kHead,
                     8 * to.size());
  for (std::size_t at = 0; at < to.size(); at += piece_words) {
    const std::size_t count = std::min(piece_words, to.size() - at);
    writer.add(std::span(from).subspan(at, count), std::span(to).subspan(at, count));
  }
  writer.finish({.from = 1, .to = 2});
  return all;
}

BodyWords applied(const Bytes& delta, BodyWords words, std::size_t piece_words = 8192) {
  DeltaReader reader(delta);
  EXPECT_EQ(reader.body_bytes(), 8 * words.size());
  EXPECT_EQ(reader.ends(), (DeltaEnds{.from = 1, .to = 2}));
  EXPECT_EQ(Bytes(reader.head().begin(), reader.head().end()), kHead);
  for (std::size_t at = 0; at < words.size(); at += piece_words) {
    reader.apply(std::span(words).subspan(at, std::min(piece_words, words.size() - at)));
  }
  reader.finish();
  return words;
}

// Words of which about one bit of `one_in` is set; 0: none.
BodyWords scattered(std::size_t count, std::uint64_t one_in, std::mt19937_64& random) {
  BodyWords words(count);
  if (one_in == 0) return words;
  for (std::uint64_t bit = random() % (2 * one_in); bit < 64 * count;
       bit += 1 + random() % (2 * one_in)) {
    words[bit / 64] |= 1ULL << (bit % 64);
  }
  return words;
}

TEST(DeltaBytes, LeadWhereTheySay) {
  std::mt19937_64 random(1);
  for (const std::size_t count : {1, 2, 7, 8, 9, 15, 64, 1000, 8192, 20001}) {
    for (const std::uint64_t one_in : {0, 1, 2, 5, 9, 10, 60, 500, 5000, 100000}) {
      const BodyWords from = scattered(count, 3, random);
      BodyWords to = scattered(count, one_in, random);
      for (std::size_t i = 0; i < count; ++i) to[i] ^= from[i];
      const Bytes delta = delta_of(from, to);
      EXPECT_EQ(applied(delta, from), to) << count << " words, one bit of " << one_in;
      EXPECT_EQ(applied(delta, from, 8), to) << "line by line";
      EXPECT_EQ(delta_of(from, to, 8), delta) << "however the bodies come";
      EXPECT_LE(delta.size(), 8 * count + count / 4 + 200) << "never much more than the file";
    }
  }
}

TEST(DeltaBytes, OfEachBitAlone) {
  const BodyWords from(13);
  for (std::size_t bit = 0; bit < 64 * from.size(); ++bit) {
    BodyWords to = from;
    to[bit / 64] = 1ULL << (bit % 64);
    EXPECT_EQ(applied(delta_of(from, to), from), to) << bit;
  }
}

TEST(DeltaBytes, OfFarLinesAndDenseOnesMixed) {
  std::mt19937_64 random(2);
  BodyWords from(1 << 20);
  BodyWords to = from;
  for (int i = 0; i < 300; ++i) {
    const std::size_t line = random() % (from.size() / 8) * 8;
    for (std::size_t word = 0; word < 8; ++word) to[line + word] = i % 3 == 0 ? random() : 0;
    to[line + random() % 8] = 1ULL << (random() % 64);
  }
  EXPECT_EQ(applied(delta_of(from, to), from), to);
}

TEST(DeltaBytes, AreRefusedWithAnyByteChangedOrMissing) {
  std::mt19937_64 random(3);
  const BodyWords from(200);
  const Bytes delta = delta_of(from, scattered(200, 90, random));
  for (std::size_t i = 0; i < delta.size(); ++i) {
    Bytes damaged = delta;
    damaged[i] ^= std::byte{static_cast<unsigned char>(1U << (i % 8))};
    EXPECT_THROW(DeltaReader{damaged}, FormatError) << i;
    damaged = delta;
    damaged.resize(i);
    EXPECT_THROW(DeltaReader{damaged}, FormatError) << i;
  }
  Bytes longer = delta;
  longer.push_back(std::byte{0});
  EXPECT_THROW(DeltaReader{longer}, FormatError);
}

}  // namespace
}  // namespace bloomery
