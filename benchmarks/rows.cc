// SPDX-License-Identifier: Apache-2.0
#include "benchmarks/rows.h"

#include "benchmarks/native_row.h"
#include "benchmarks/our_rows.h"
#include "benchmarks/peers/boost_bloom.h"
#include "benchmarks/peers/guava.h"
#include "benchmarks/peers/peers.h"
#include "bloomery/filter/blocked_filter.h"
#include "bloomery/filter/classic_filter.h"
#include "bloomery/filter/counting_filter.h"
#include "bloomery/filter/scalable_filter.h"
#include "bloomery/filter/windowed_filter.h"
#include "bloomery/format/mitz_probes.h"

namespace bloomery::bench {
namespace {

constexpr std::uint64_t kMillion = 1'000'000;

// The filter that a stream of Guava's is read into.
using GuavaBits = BasicFilter<ClassicLayout<Mitz64Probes>, HeapWords>;

Row peer_row(std::string name, double rate, std::function<SubjectPointer(std::uint64_t)> make,
             std::uint64_t max_keys, std::string stops_because) {
  Row row;
  row.name = std::move(name);
  row.rate = rate;
  row.make = std::move(make);
  row.max_keys = max_keys;
  row.stops_because = std::move(stops_because);
  row.slow = true;
  return row;
}

// Makes a filter that has three layers once it holds `capacity` keys.
ScalableFilter grown_from_a_third(std::uint64_t capacity) {
  return ScalableFilter({.capacity = capacity * 10 / 33});
}

BlockedFilter hashed_by_aes(std::uint64_t capacity) {
  return BlockedFilter({.capacity = capacity, .hash = HashId::aes});
}

Row native_row(std::string name, HashId hash, Loop loop = Loop::range_for) {
  Row row;
  row.name = std::move(name);
  row.rate = 0.01;
  row.make = [hash, loop](std::uint64_t capacity) {
    return make_native_blocked(capacity, hash, loop);
  };
  row.ours = true;
  row.built_with = compiled_with("-march=native");
  return row;
}

// The fewest bits a key with which it keeps 1 %.
Row boost_row(std::string name, std::function<SubjectPointer(std::uint64_t, double)> make,
              const std::string& flags, Pattern keys = Pattern::random) {
  Row row;
  row.name = std::move(name);
  row.rate = 0.01;
  row.make = [make = std::move(make)](std::uint64_t capacity) { return make(capacity, 10.53); };
  row.built_with = compiled_with(flags);
  row.keys = keys;
  if (!has_boost_bloom()) row.missing = "Boost.Bloom's headers: --peer-include DIR";
  return row;
}

// In both loops.
void add_boost_rows(std::vector<Row>& rows, const std::string& name,
                    SubjectPointer (*make)(std::uint64_t, double, Loop), const std::string& flags) {
  for (const Loop loop : {Loop::range_for, Loop::by_index}) {
    rows.push_back(boost_row(
        name + (loop == Loop::by_index ? ", by index" : ""),
        [make, loop](std::uint64_t keys, double bits) { return make(keys, bits, loop); }, flags));
  }
}

Row static_row(std::string name, const StaticOptions& options) {
  Row row = built_row<StaticSet>(std::move(name), options.false_positive_rate,
                                 [options](std::span<const std::uint64_t> keys) {
                                   return StaticSet(build_static_filter(keys, options));
                                 });
  row.max_keys = 10 * kMillion;
  row.stops_because = "for blocks of tables, not for so many keys";
  row.slow = true;
  return row;
}

Row guava_row() {
  Row row;
  row.name = "Guava 1 %, JVM";
  row.rate = 0.01;
  row.measure_elsewhere = measure_guava;
  row.max_keys = 100 * kMillion;
  row.stops_because = "slow";
  return row;
}

}  // namespace

std::vector<Row> all_rows() {
  std::vector<Row> rows{
      our_row<BlockedFilter>("BlockedFilter 1 %", 0.01),
      folded_row<Loop::range_for>("BlockedFilter 1 %, fold", 0.01),
      folded_row<Loop::view>("BlockedFilter 1 %, fold, a view", 0.01),
      native_row("BlockedFilter 1 %, for this machine", HashId::product),
      native_row("BlockedFilter 1 %, fold, for this machine", HashId::fold),
      native_row("BlockedFilter 1 %, fold, for this machine, by index", HashId::fold,
                 Loop::by_index),
      native_row("BlockedFilter 1 %, fold, for this machine, a view", HashId::fold, Loop::view),
      bulk_row("BlockedFilter 1 %, bulk", 0.01, 1),
      bulk_row("BlockedFilter 1 %, bulk, 2 threads", 0.01, 2),
      our_row<BlockedFilter>("BlockedFilter 0.1 %", 0.001),
      our_row<BlockedFilter>("BlockedFilter 0.01 %", 0.0001),
      our_row<BlockedFilter>("BlockedFilter 1 %, 36-byte texts", 0.01, Pattern::uuid),
      made_row<BlockedFilter>("BlockedFilter 1 %, 36-byte texts, AES", 0.01, hashed_by_aes,
                              Pattern::uuid),
      our_row<ClassicFilter>("ClassicFilter 1 %", 0.01),
      our_row<GuavaBits>("Guava's bits 1 %, here", 0.01),
      our_row<CountingFilter>("CountingFilter 1 %", 0.01),
      our_row<ClassicCountingFilter>("ClassicCountingFilter 1 %", 0.01),
      made_row<ScalableFilter>("ScalableFilter 1 %, from a third", 0.01, grown_from_a_third),
      our_row<WindowedFilter>("WindowedFilter 1 %, 5 generations", 0.01),
      static_row("StaticFilter 1 %, bits", {.form = StaticForm::bloom}),
      static_row("StaticFilter 1 %, one line", {.one_line = true}),
      static_row("StaticFilter 0.78 %, fingerprints", {.false_positive_rate = 1.0 / 128}),
  };
  add_boost_rows(rows, "Boost.Bloom 1 %", make_boost_bloom, "");
  add_boost_rows(rows, "Boost.Bloom 1 %, for this machine", make_native_boost_bloom,
                 "-march=native");
  rows.push_back(boost_row("Boost.Bloom 1 %, 36-byte texts, XXH3-64", make_boost_bloom_of_texts, "",
                           Pattern::uuid));
  // Bits a key: the fewest with which each keeps 1 %. LevelDB, which takes whole ones, has 1.2
  // to 1.4 % with 10.
  rows.push_back(peer_row(
      "RocksDB 1 %", 0.01, [](std::uint64_t keys) { return make_rocksdb(keys, 9.9); },
      100 * kMillion, "8 bytes a key more while it builds"));
  rows.back().missing = rocksdb_missing_reason();
  rows.push_back(peer_row(
      "LevelDB 1 %", 0.01, [](std::uint64_t keys) { return make_leveldb(keys, 11); }, 10 * kMillion,
      "slow, and its hash has 32 bits"));
  rows.push_back(peer_row(
      "libbloom 1 %", 0.01, [](std::uint64_t keys) { return make_libbloom(keys, 0.01); },
      10 * kMillion, "slow"));
  rows.push_back(peer_row(
      "plain loop 1 %", 0.01, [](std::uint64_t keys) { return make_plain_loop(keys, 0.01); },
      100 * kMillion, "slow"));
  rows.push_back(guava_row());
  rows.push_back(
      peer_row("std::unordered_set", 0, make_unordered_set, 10 * kMillion, "40 bytes a key"));
  rows.push_back(peer_row("sorted std::vector", 0, make_sorted_vector, 10 * kMillion,
                          "8 bytes a key, and slow"));
  return rows;
}

}  // namespace bloomery::bench
