// SPDX-License-Identifier: Apache-2.0
#include "benchmarks/redis/measure.h"

#include <atomic>
#include <exception>
#include <latch>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

#include "benchmarks/timing.h"

namespace bloomery::redis_bench {
namespace {

// Asks until it is told to stop; how many keys it asked for.
class Load {
 public:
  Load(const Ask& ask, std::size_t batch, std::span<const Key> members,
       std::span<const Key> strangers)
      : ask_(ask), batch_(batch), members_(members), strangers_(strangers) {}

  std::uint64_t run(unsigned seed, const std::atomic<bool>& is_over) {
    std::minstd_rand random(seed);
    std::vector<Key> keys(batch_);
    std::uint64_t asked = 0;
    while (!is_over) {
      std::size_t in = 0;
      for (std::size_t i = 0; i < batch_; ++i) {
        const bool is_member = (asked + i) % 2 == 0;
        const auto& from = is_member ? members_ : strangers_;
        keys[i] = from[random() % from.size()];
        in += is_member ? 1 : 0;
      }
      if (ask_(keys) < in) loses_keys_ = true;
      asked += batch_;
    }
    return asked;
  }
  bool loses_keys() const noexcept { return loses_keys_; }

 private:
  const Ask& ask_;
  const std::size_t batch_;
  const std::span<const Key> members_;
  const std::span<const Key> strangers_;
  std::atomic<bool> loses_keys_ = false;
};

}  // namespace

Figure measure(const Way& way, const Ask& ask, std::size_t batch, int threads,
               std::chrono::milliseconds time, std::span<const Key> members,
               std::span<const Key> strangers, const std::function<double()>& server_seconds) {
  Load load(ask, batch, members, strangers);
  std::atomic<bool> is_over = false;
  std::atomic<std::uint64_t> asked = 0;
  std::mutex mutex;
  std::exception_ptr error;
  std::latch start(threads + 1);
  std::vector<std::thread> all;
  for (int i = 0; i < threads; ++i) {
    all.emplace_back([&, i] {
      const auto attempt = [&](const auto& work) {
        try {
          work();
        } catch (...) {
          const std::lock_guard lock(mutex);
          error = std::current_exception();
          is_over = true;
        }
      };
      const Key first = members[0];
      attempt([&] { ask({&first, 1}); });  // the connections are there before the time begins
      start.arrive_and_wait();
      attempt([&] { asked += load.run(static_cast<unsigned>(i + 1), is_over); });
    });
  }
  start.arrive_and_wait();
  const double server_before = server_seconds();
  const double wall_before = bench::clock_seconds(CLOCK_MONOTONIC);
  std::this_thread::sleep_for(time);
  is_over = true;
  for (std::thread& each : all) each.join();
  if (error) std::rethrow_exception(error);
  const double wall = bench::clock_seconds(CLOCK_MONOTONIC) - wall_before;
  const double count = static_cast<double>(asked);
  return {.way = way.name,
          .batch = batch,
          .threads = threads,
          .server_ns = 1e9 * (server_seconds() - server_before) / count,
          .per_second = count / wall,
          .loses_keys = load.loses_keys()};
}

}  // namespace bloomery::redis_bench
