// SPDX-License-Identifier: Apache-2.0
#include "bloomery/redis/places/partition_cost.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "bloomery/filter/filter_kinds.h"
#include "bloomery/filter/rates.h"
#include "bloomery/redis/client/client.h"
#include "bloomery/redis/places/native_load.h"
#include "bloomery/redis/places/native_place.h"
#include "bloomery/redis/places/partition_keys.h"
#include "tests/store/scratch_folder.h"
#include "tests/support/redis_server.h"

namespace bloomery::redis {
namespace {

FilterParameters blocked_for(std::uint64_t keys, double rate) {
  const FilterOptions options{.capacity = keys, .false_positive_rate = rate};
  return parameters_for(FilterKind::blocked, geometry_for(FilterKind::blocked, options), options);
}

TEST(PartitionCost, FollowsFromTheSizeOfTheFilter) {
  const FilterParameters parameters = blocked_for(1'000'000'000, 0.001);
  const PartitionCost cost = partition_cost(parameters, {.node_bytes = 256ULL << 20});
  EXPECT_EQ(cost.filter_bytes, parameters.geometry.bit_count / 8);
  EXPECT_EQ(cost.partitions, 64U);
  EXPECT_EQ(cost.nodes, 8U);
  EXPECT_GE(cost.partition_bytes * 64, cost.filter_bytes);
  EXPECT_LT(cost.partition_bytes * 64, cost.filter_bytes / 1000 * 1001);
  EXPECT_EQ(cost.node_bytes, 8 * cost.partition_bytes);
  EXPECT_EQ(partition_cost(parameters, {.replicas = 2}).all_bytes, 3 * cost.all_bytes);
  EXPECT_DOUBLE_EQ(cost.lost_share, 1.0 / 8);
  EXPECT_NEAR(cost.batch_partitions, 64, 0.01) << "1,000 keys ask all of them";
  EXPECT_GT(cost.fullest_rate, 0.001);
  EXPECT_LT(cost.fullest_rate, 0.00101);
  // With two lines a key, both may be gone.
  const PartitionCost two = partition_cost(blocked_for(1'000'000, 1e-6), {.nodes = 4});
  EXPECT_DOUBLE_EQ(two.lost_share, 1 - 0.75 * 0.75);
  EXPECT_GT(partition_cost(parameters, {.link_bits = 1e6}).node_seconds, 1000);
  EXPECT_TRUE(partition_cost(parameters, {.link_bits = 1e6}).is_link_bound);
  EXPECT_THROW(partition_cost(parameters, {.nodes = 0}), std::invalid_argument);
  EXPECT_THROW(partition_cost(blocked_for(10, 0.1), {.partitions = 10'000}), std::invalid_argument);
}

// Chance puts no more keys into a partition than the four standard deviations that are computed.
TEST(PartitionCost, KeysSpreadOverPartitionsAsComputed) {
  constexpr std::uint64_t kKeys = 50'000;
  constexpr std::uint32_t kCount = 64;
  const FilterParameters parameters = blocked_for(kKeys, 0.001);
  const PartitionCost cost = partition_cost(parameters, {.partitions = kCount});
  const FilePart whole{kCount, kCount, parameters.geometry.bit_count};
  const Positions positions = native_positions(parameters);
  std::vector<double> counts(kCount);
  std::vector<std::uint64_t> bits;
  for (std::uint64_t i = 0; i < kKeys; ++i) {
    bits.clear();
    positions(Key(std::to_string(i)), bits);
    ++counts[whole.part_of(bits.front())];
  }
  const double mean = static_cast<double>(kKeys) / kCount;
  const double fullest = *std::ranges::max_element(counts) / mean - 1;
  EXPECT_LT(fullest, cost.spread);
  EXPECT_GT(fullest, cost.spread / 8);
}

std::uint64_t number_behind(const std::string& text, const std::string& name) {
  return std::stoull(text.substr(text.find(name) + name.size()));
}

TEST(PartitionCost, ComputesTheBytesThatTravel) {
  if (!testing::RedisServer::is_installed()) GTEST_SKIP() << "no redis-server here";
  const testing::ScratchFolder folder;
  const testing::RedisServer server(folder.path().string());
  const std::string at = "redis+unix://" + server.socket() + "?partitions=16#users";
  for (const double rate : {0.001, 1e-6}) {
    AnyFilter filter =
        make_filter(FilterKind::blocked, {.capacity = 50'000, .false_positive_rate = rate});
    std::vector<std::string> texts;
    for (int i = 0; i < 1000; ++i) texts.push_back("key " + std::to_string(i));
    const std::vector<Key> keys(texts.begin(), texts.end());
    for (const Key key : keys) filter.insert(key);
    Client client(parse_location(at));
    load_native(client, filter.contents(), {.old = OldFilter::drop});
    const auto place = open_native_place(at, false);
    std::vector<Presence> answers(keys.size(), Presence::unknown);
    // Questions are asked until each partition has bits to ask again.
    for (std::size_t from = 0; from < keys.size(); from += 100) {
      place->presence_of_many(std::span(keys).subspan(from, 100),
                              std::span(answers).subspan(from, 100));
    }
    const std::string before = server.ask("INFO stats");
    constexpr int kBatches = 2;
    for (int i = 0; i < kBatches; ++i) place->presence_of_many(keys, answers);
    const std::string after = server.ask("INFO stats");
    std::uint64_t bytes = 0;
    for (const char* name : {"total_net_input_bytes:", "total_net_output_bytes:"}) {
      bytes += number_behind(after, name) - number_behind(before, name);
    }
    const PartitionCost cost =
        partition_cost(filter.parameters(), {.partitions = 16, .batch = keys.size()});
    EXPECT_NEAR(static_cast<double>(bytes) / kBatches, cost.batch_bytes, 0.06 * cost.batch_bytes);
  }
}

}  // namespace
}  // namespace bloomery::redis
