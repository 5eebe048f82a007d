// SPDX-License-Identifier: Apache-2.0
// copy_lookup [ROUNDS]: what a look-up costs in a LocalCopy behind a fence while deltas arrive,
// beside the same filter's own call, in nanoseconds a key: one by one, and in batches of 64. The
// filter is in the processor's cache. Medians of interleaved rounds.
#include <time.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "benchmarks/median.h"
#include "bloomery/filter/filter_kinds.h"
#include "bloomery/place/local_copy.h"
#include "bloomery/place/memory_place.h"

namespace bloomery {
namespace {

constexpr Identity kSource{21, 22};
constexpr std::size_t kKeys = 20'000;
constexpr std::size_t kBatch = 64;

AnyFilter make() {
  AnyFilter filter =
      make_filter(FilterKind::blocked, {.capacity = 200'000, .false_positive_rate = 0.01});
  for (std::size_t i = 0; i < kKeys / 2; ++i) filter.insert(Key("key" + std::to_string(2 * i)));
  return filter;
}

// A place that has the filter's head and is never asked.
class Head final : public FilterPlace {
 public:
  std::string name() const override { return "a place"; }
  void ask(std::span<const Key>, std::span<Presence>, Proofs&, const CallContext&) override {}
  using FilterPlace::insert_many;
  void insert_many(std::span<const Key>, std::span<Inserted>, const CallContext&) override {}
  PlaceHead head(const CallContext&) override {
    PlaceHead head;
    head.identity = {1, 1};
    head.watermark = Watermark{kSource, UINT64_MAX};
    return head;
  }
};

// Brings 100 hashes each 10 ms.
class Arriving final : public DeltaSource {
 public:
  Whole read_whole(std::uint64_t, const CallContext&) override {
    return {.filter = make(),
            .identity = {1, 1},
            .reached = Watermark{kSource, 1},
            .position = {{2, 2}, 0}};
  }
  std::optional<Delta> since(const DeltaPosition& position, std::chrono::milliseconds,
                             const CallContext&) override {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    Delta delta{.position = {position.ring, position.sequence + 100}, .is_last = true};
    for (std::uint64_t i = 0; i < 100; ++i) {
      const std::uint64_t number = (position.sequence + i) % 10'000;
      delta.hashes.push_back({number * 0x9e3779b97f4a7c15, number * 0xc2b2ae3d27d4eb4f});
    }
    delta.identity = {1, 1};
    delta.reached = Watermark{kSource, delta.position.sequence};
    return delta;
  }
};

// Processor time of this thread, so that other work on the machine counts less.
double nanoseconds_now() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return 1e9 * static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec);
}

template <class Work>
double nanoseconds_a_key(const Work& work) {
  constexpr int kTimes = 20;
  const double begin = nanoseconds_now();
  for (int i = 0; i < kTimes; ++i) work();
  return (nanoseconds_now() - begin) / kTimes / kKeys;
}

int run(int rounds) {
  const AnyFilter filter = make();
  Head head;
  LocalCopy copy(head, {.deltas = std::make_shared<Arriving>()});
  const Fence fence{{kSource, 1}};
  const CallContext behind{.fence = &fence};
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < kKeys; ++i) texts.push_back("key" + std::to_string(i));
  const std::vector<Key> keys(texts.begin(), texts.end());
  while (copy.presence_of("no such key", behind) != Presence::absent) std::this_thread::yield();
  std::array<std::vector<double>, 4> all;
  std::size_t sum = 0;
  for (int round = 0; round < rounds; ++round) {
    all[0].push_back(nanoseconds_a_key([&] {
      for (const Key key : keys) sum += filter.may_contain(key) ? 1U : 0U;
    }));
    all[1].push_back(nanoseconds_a_key([&] {
      for (const Key key : keys) sum += copy.presence_of(key, behind) == Presence::maybe ? 1U : 0U;
    }));
    std::array<bool, kBatch> found;
    all[2].push_back(nanoseconds_a_key([&] {
      for (std::size_t at = 0; at + kBatch <= kKeys; at += kBatch) {
        filter.may_contain_many(std::span(keys).subspan(at, kBatch), found);
        sum += found[0] ? 1U : 0U;
      }
    }));
    std::array<Presence, kBatch> answers;
    all[3].push_back(nanoseconds_a_key([&] {
      for (std::size_t at = 0; at + kBatch <= kKeys; at += kBatch) {
        answers.fill(Presence::unknown);
        copy.presence_of_many(std::span(keys).subspan(at, kBatch), answers, behind);
        sum += answers[0] == Presence::maybe ? 1U : 0U;
      }
    }));
  }
  std::printf(
      "nanoseconds a key      filter   copy\none by one        %9.1f %9.1f\nbatches of 64     "
      "%9.1f %9.1f\n",
      bench::median(all[0]), bench::median(all[1]), bench::median(all[2]), bench::median(all[3]));
  std::printf("%llu hashes came meanwhile\n", static_cast<unsigned long long>(copy.hashes()));
  return sum == 0 ? 1 : 0;
}

}  // namespace
}  // namespace bloomery

int main(int count, char** words) {
  return bloomery::run(count > 1 ? std::atoi(words[1]) : 31);
}
