#include "benchmarks/rows.h"

#include "benchmarks/our_filters.h"
#include "benchmarks/peers/peers.h"

namespace bloomery::bench {
namespace {

constexpr std::uint64_t kNoLimit = ~std::uint64_t{0};
constexpr std::uint64_t kMillion = 1'000'000;

template <class Filter>
Row our_row(std::string name, double rate, Pattern keys = Pattern::random) {
  return {.name = std::move(name),
          .rate = rate,
          .make =
              [rate](std::uint64_t capacity) {
                return std::make_unique<OurFilter<Filter>>(capacity, rate);
              },
          .max_keys = kNoLimit,
          .stops_because = "",
          .keys = keys};
}

Row peer_row(std::string name, double rate, std::function<SubjectPointer(std::uint64_t)> make,
             std::uint64_t max_keys, std::string stops_because) {
  return {.name = std::move(name),
          .rate = rate,
          .make = std::move(make),
          .max_keys = max_keys,
          .stops_because = std::move(stops_because),
          .slow = true};
}

}  // namespace

std::vector<Row> all_rows() {
  std::vector<Row> rows{
      our_row<BlockedFilter>("BlockedFilter 1 %", 0.01),
      our_row<BlockedFilter>("BlockedFilter 0.1 %", 0.001),
      our_row<BlockedFilter>("BlockedFilter 0.01 %", 0.0001),
      our_row<BlockedFilter>("BlockedFilter 1 %, 36-byte texts", 0.01, Pattern::uuid),
      our_row<ClassicFilter>("ClassicFilter 1 %", 0.01),
  };
  const std::string rocksdb_reason = rocksdb_missing_reason();
  // Bits a key: the fewest with which each keeps 1 %. LevelDB, which takes whole ones, has 1.2
  // to 1.4 % with 10.
  rows.push_back(peer_row(
      "RocksDB 1 %", 0.01, [](std::uint64_t keys) { return make_rocksdb(keys, 9.9); },
      rocksdb_reason.empty() ? 100 * kMillion : 0,
      rocksdb_reason.empty() ? "8 bytes a key more while it builds" : rocksdb_reason));
  rows.push_back(peer_row(
      "LevelDB 1 %", 0.01, [](std::uint64_t keys) { return make_leveldb(keys, 11); }, 10 * kMillion,
      "slow, and its hash has 32 bits"));
  rows.push_back(peer_row(
      "libbloom 1 %", 0.01, [](std::uint64_t keys) { return make_libbloom(keys, 0.01); },
      10 * kMillion, "slow"));
  rows.push_back(peer_row(
      "plain loop 1 %", 0.01, [](std::uint64_t keys) { return make_plain_loop(keys, 0.01); },
      100 * kMillion, "slow"));
  rows.push_back(
      peer_row("std::unordered_set", 0, make_unordered_set, 10 * kMillion, "40 bytes a key"));
  rows.push_back(peer_row("sorted std::vector", 0, make_sorted_vector, 10 * kMillion,
                          "8 bytes a key, and slow"));
  return rows;
}

}  // namespace bloomery::bench
