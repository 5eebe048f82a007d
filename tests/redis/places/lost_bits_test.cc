// SPDX-License-Identifier: Apache-2.0
// A filter in memory stands for the server's: many scenes, and none that depends on a server.
#include "bloomery/redis/places/lost_bits.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

namespace bloomery::redis {
namespace {

constexpr std::uint64_t kBits = 4096;
constexpr std::uint64_t kProbes = 7;
constexpr int kModelScenes = 10'000;

class Model {
 public:
  explicit Model(std::uint32_t seed) : random_(seed + 1) {}

  std::vector<std::uint64_t> new_keys(std::size_t count) {
    std::vector<std::uint64_t> positions(count * kProbes);
    for (std::uint64_t& each : positions) each = random_() % kBits;
    return positions;
  }
  void fill(double share) {
    for (char& each : bits_) each = std::bernoulli_distribution(share)(random_) ? 1 : 0;
  }
  // Inserts by this place, in round trips of so many bits.
  void insert(const std::vector<std::uint64_t>& positions, std::size_t in_trip = 100'000) {
    const InsertCall call = next_insert_call();
    for (std::size_t at = 0; at < positions.size(); at += in_trip) {
      const auto touched =
          std::span(positions).subspan(at, std::min(in_trip, positions.size() - at));
      std::vector<std::uint64_t> changed;
      for (const std::uint64_t each : touched) {
        if (bits_[each] == 0) changed.push_back(each);
        bits_[each] = 1;
      }
      place_.learn(call, {.changed = changed, .touched = touched});
    }
  }
  void insert_by_another(const std::vector<std::uint64_t>& positions) {
    for (const std::uint64_t each : positions) bits_[each] = 1;
  }
  const std::vector<char>& dump() const { return bits_; }
  void restore(const std::vector<char>& bits) { bits_ = bits; }

  // Asked for these, the place says "absent" of one that was inserted.
  bool denies(const std::vector<std::uint64_t>& positions) {
    const LostBits::Known known = place_.known();
    asked_ = known.positions.size();
    TransactionResult result{.byte_count = kBits / 8};
    for (const std::uint64_t each : known.positions) result.known_bits.push_back(bits_[each] != 0);
    return !place_.judge(known, result) &&
           std::ranges::any_of(positions, [&](std::uint64_t each) { return bits_[each] == 0; });
  }
  std::size_t asked() const { return asked_; }
  LostBits& place() { return place_; }

 private:
  std::minstd_rand random_;
  std::vector<char> bits_ = std::vector<char>(kBits);
  LostBits place_;
  std::size_t asked_ = 0;
};

struct Scene {
  double fill;
  std::size_t keys_in_call;
  int lost_calls;
  int repeated_calls;  // by another writer, after the restore
  std::size_t bits_in_trip = 100'000;
};

int denials_in(const Scene& scene, int scenes = kModelScenes) {
  int denials = 0;
  Model full(1);
  full.fill(scene.fill);
  for (int round = 0; round < scenes; ++round) {
    Model model(static_cast<std::uint32_t>(round));
    model.restore(full.dump());
    for (int i = 0; i < 2; ++i) model.insert(model.new_keys(1));
    const std::vector<char> dump = model.dump();
    std::vector<std::vector<std::uint64_t>> calls;
    for (int i = 0; i < scene.lost_calls; ++i) {
      calls.push_back(model.new_keys(scene.keys_in_call));
      model.insert(calls.back(), scene.bits_in_trip);
    }
    model.restore(dump);
    for (int i = scene.lost_calls - scene.repeated_calls; i < scene.lost_calls; ++i) {
      model.insert_by_another(calls[static_cast<std::size_t>(i)]);
    }
    std::vector<std::uint64_t> all;
    for (const auto& each : calls) all.insert(all.end(), each.begin(), each.end());
    denials += model.denies(all) ? 1 : 0;
  }
  return denials;
}

TEST(LostBits, AnOlderCopyIsNoticed) {
  for (const double fill : {0.1, 0.5, 0.9}) {
    for (const std::size_t keys : {1, 5, 100}) {
      EXPECT_EQ(denials_in({fill, keys, 1, 0}, 1000), 0) << fill << ", " << keys << " keys a call";
    }
  }
}

// A call may be a fifth of all keys, which touches many bits of the call before.
TEST(LostBits, AnOlderCopyIsNoticedThoughOthersRepeatTheLastCalls) {
  for (const double fill : {0.1, 0.5}) {
    for (const std::size_t keys : {1, 100}) {
      EXPECT_EQ(denials_in({fill, keys, 2, 1}, keys == 1 ? kModelScenes : kModelScenes / 10), 0)
          << fill << ", " << keys << " keys a call";
    }
    EXPECT_EQ(denials_in({fill, 5, 8, 7}, 1000), 0) << fill;
    EXPECT_EQ(denials_in({fill, 5, 15, 14}, 1000), 0) << fill;
  }
}

// The later calls together touch four of five bits of the first.
TEST(LostBits, AnOlderCopyIsNoticedThoughOthersRepeatCallsThatOverfillTheFilter) {
  EXPECT_EQ(
      denials_in({.fill = 0.1, .keys_in_call = 170, .lost_calls = 6, .repeated_calls = 5}, 1000),
      0);
}

// A call of many trips is one call: it pushes no others out.
TEST(LostBits, AnOlderCopyIsNoticedThoughOthersRepeatALargeCall) {
  EXPECT_EQ(denials_in({.fill = 0.1,
                        .keys_in_call = 100,
                        .lost_calls = 2,
                        .repeated_calls = 1,
                        .bits_in_trip = 7},
                       1000),
            0);
}

// A failover may lose a part of a call.
TEST(LostBits, TheLossOfTheLastTripOfALargeCallIsNoticed) {
  int denials = 0;
  Model full(1);
  full.fill(0.1);
  for (int round = 0; round < 1000; ++round) {
    Model model(static_cast<std::uint32_t>(round));
    model.restore(full.dump());
    const auto keys = model.new_keys(100);
    std::vector<char> before = model.dump();
    for (std::size_t i = 0; i + 7 < keys.size(); ++i) before[keys[i]] = 1;
    model.insert(keys, 7);
    model.restore(before);
    denials += model.denies(keys) ? 1 : 0;
  }
  EXPECT_EQ(denials, 0);
}

// The first try may have set any of its bits, and then the second changed none.
TEST(LostBits, AnOlderCopyIsNoticedWhereATripWasRepeated) {
  int denials = 0;
  Model full(1);
  full.fill(0.5);
  for (int round = 0; round < kModelScenes; ++round) {
    Model model(static_cast<std::uint32_t>(round));
    model.restore(full.dump());
    const std::vector<char> dump = model.dump();
    const auto keys = model.new_keys(5);
    model.insert_by_another(keys);
    model.place().learn(next_insert_call(), {.touched = keys, .repeated = true});
    model.restore(dump);
    denials += model.denies(keys) ? 1 : 0;
  }
  EXPECT_LE(denials, 2);
}

TEST(LostBits, AskForFewBits) {
  Model model(1);
  model.fill(0.1);
  for (std::size_t i = 0; i < 1000; ++i) model.place().learn(model.new_keys(1));
  EXPECT_FALSE(model.denies({}));
  EXPECT_EQ(model.asked(), LostBits::kAskedByReader);
  for (std::size_t i = 0; i < 40; ++i) model.insert(model.new_keys(3), 7);
  model.denies({});
  EXPECT_LE(model.asked(), 40U);
  EXPECT_GE(model.asked(), 36U);
}

}  // namespace
}  // namespace bloomery::redis
