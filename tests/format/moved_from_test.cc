// SPDX-License-Identifier: Apache-2.0
// Filters of other systems' schemes that were moved from.
#include <gtest/gtest.h>

#include <vector>

#include "bloomery/bits/heap_words.h"
#include "bloomery/filter/basic_filter.h"
#include "bloomery/filter/classic_layout.h"
#include "bloomery/format/dcso.h"
#include "bloomery/format/gozero.h"
#include "bloomery/format/hutool.h"
#include "bloomery/format/javascript.h"
#include "bloomery/format/leveldb.h"
#include "bloomery/format/mitz_probes.h"
#include "bloomery/format/one_line_layout.h"
#include "bloomery/format/orestes.h"
#include "bloomery/format/parquet.h"
#include "bloomery/format/php.h"
#include "bloomery/format/pyrebloom.h"
#include "bloomery/format/redisbloom/redisbloom_filter.h"
#include "bloomery/format/redisson_probes.h"
#include "bloomery/format/rocksdb.h"
#include "bloomery/format/scrapy.h"
#include "bloomery/format/simple_java.h"
#include "tests/support/call_everything.h"

namespace bloomery {
namespace {

// With every bit that a system's own sizing might ask for.
template <class L>
BasicFilter<L, HeapWords> filled(std::uint32_t lines, std::uint32_t line_bits, std::uint32_t probes,
                                 const std::vector<Key>& keys) {
  FilterParameters parameters;
  parameters.kind = L::kKind;
  parameters.geometry = {.bit_count = 1 << 16, .probe_count = probes, .lines_per_key = lines};
  if (line_bits != 0) parameters.geometry.line_bits = line_bits;
  parameters.capacity = 3'000;
  parameters.false_positive_rate = 0.01;
  BasicFilter<L, HeapWords> filter(parameters, HeapWords(L::word_count(parameters)), 0);
  filter.insert_many(keys);
  return filter;
}

template <class S>
void expect_classic(std::uint32_t probes) {
  testing::expect_moved_from_is_usable(
      [&](const std::vector<Key>& keys) { return filled<ClassicLayout<S>>(0, 0, probes, keys); });
}
template <class S>
void expect_lines(std::uint32_t probes) {
  testing::expect_moved_from_is_usable([&](const std::vector<Key>& keys) {
    return filled<OneLineLayout<S>>(1, S::kLineBits, probes, keys);
  });
}

TEST(MovedFromForeign, SaysMaybeOfAllAndNeverCrashes) {
  expect_classic<dcso::Probes>(7);
  expect_classic<GozeroProbes>(14);
  expect_classic<HutoolBitMapProbes>(5);
  expect_classic<HutoolBitSetProbes>(8);
  expect_classic<JavascriptProbes>(3);
  expect_classic<JavascriptSaneProbes>(7);
  expect_classic<leveldb_format::Probes>(6);
  expect_classic<Mitz64Probes>(5);
  expect_classic<Mitz32Probes>(5);
  expect_classic<OrestesProbes>(7);
  expect_classic<PhpProbes>(3);
  expect_classic<PyrebloomProbes>(7);
  expect_classic<RedissonProbes>(5);
  expect_classic<RedissonLegacyProbes>(5);
  expect_classic<ScrapyProbes>(6);
  expect_classic<SimpleJavaProbes>(6);
  expect_lines<parquet::SplitBlock>(8);
  expect_lines<rocksdb_format::FastLocal>(6);
}

TEST(MovedFromForeign, ChainsOfRedisBloomSaySoToo) {
  testing::expect_moved_from_is_usable([](const std::vector<Key>& keys) {
    redisbloom::Filter filter({.capacity = 100});
    filter.insert_many(keys);
    return filter;
  });
}

}  // namespace
}  // namespace bloomery
