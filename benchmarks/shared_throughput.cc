// SPDX-License-Identifier: Apache-2.0
// shared_throughput [FOLDER] [ROUNDS]: what a key costs in a file that processes share, beside one
// that this process has mapped for itself, in nanoseconds of processor time: by one process and by
// as many as there are processors, each with its own keys. Medians of interleaved rounds.
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "bloomery/filter/blocked_filter.h"
#include "bloomery/store/mapped_filter.h"
#include "bloomery/store/native_file.h"
#include "bloomery/store/shared_filter.h"

namespace bloomery {
namespace {

constexpr std::uint64_t kCapacity = 20'000'000;
constexpr std::size_t kKeys = 1'000'000;
constexpr int kFigures = 4;
constexpr std::array<const char*, kFigures> kNames{"insert", "insert_many", "may_contain",
                                                   "may_contain_many"};
using Figures = std::array<double, kFigures>;

double seconds_now() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

std::vector<std::uint64_t> keys_of(std::uint64_t from) {
  std::vector<std::uint64_t> keys(kKeys);
  for (std::uint64_t& key : keys) key = from++ * 0x9e3779b97f4a7c15;
  return keys;
}

double nanoseconds_a_key(const std::function<void()>& work) {
  const double before = seconds_now();
  work();
  return (seconds_now() - before) * 1e9 / kKeys;
}

// Half of the keys that are asked are there.
Figures measure(AnyFilter& filter, std::uint64_t process) {
  const auto one_by_one = keys_of((10 * process + 1) << 32);
  const auto batch = keys_of((10 * process + 2) << 32);
  const auto asked = keys_of(((10 * process + 1) << 32) + kKeys / 2);
  std::unique_ptr<bool[]> found(new bool[kKeys]);
  std::size_t sum = 0;
  const auto key = [](const std::uint64_t& integer) {
    return Key(reinterpret_cast<const char*>(&integer), sizeof integer);
  };
  Figures took{};
  took[0] = nanoseconds_a_key([&] {
    for (const auto& each : one_by_one) sum += filter.insert_concurrently(key(each)) ? 1U : 0U;
  });
  took[1] = nanoseconds_a_key([&] { sum += filter.insert_many(std::span(batch)); });
  took[2] = nanoseconds_a_key([&] {
    for (const auto& each : asked) sum += filter.may_contain(key(each)) ? 1U : 0U;
  });
  took[3] = nanoseconds_a_key([&] {
    filter.may_contain_many(std::span<const std::uint64_t>(asked), {found.get(), kKeys});
  });
  if (sum == 0) std::puts("nothing was new");
  return took;
}

// The mean of processes that run at once.
Figures measure_in(unsigned process_count, const std::function<Figures(unsigned)>& run) {
  auto* const all =
      static_cast<Figures*>(mmap(nullptr, sizeof(Figures) * process_count, PROT_READ | PROT_WRITE,
                                 MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  for (unsigned process = 0; process < process_count; ++process) {
    if (fork() != 0) continue;
    all[process] = run(process);
    _exit(0);
  }
  for (unsigned process = 0; process < process_count; ++process) wait(nullptr);
  Figures mean{};
  for (int figure = 0; figure < kFigures; ++figure) {
    for (unsigned process = 0; process < process_count; ++process) {
      mean[figure] += all[process][figure] / process_count;
    }
  }
  munmap(all, sizeof(Figures) * process_count);
  return mean;
}

void report(const char* name, std::vector<Figures> rounds) {
  std::printf("%-28s", name);
  for (int figure = 0; figure < kFigures; ++figure) {
    const auto middle = rounds.begin() + static_cast<std::ptrdiff_t>(rounds.size() / 2);
    std::ranges::nth_element(rounds, middle, {}, [&](const Figures& each) { return each[figure]; });
    std::printf("%18.1f", (*middle)[figure]);
  }
  std::printf("\n");
}

int run(const std::filesystem::path& folder, int rounds) {
  const auto path = folder / ("shared_throughput." + std::to_string(getpid()));
  const unsigned most = std::max(2U, std::thread::hardware_concurrency());
  const auto fresh = [&] { save(BlockedFilter({.capacity = kCapacity}), path); };
  std::array<std::vector<Figures>, 4> all;
  for (int round = 0; round < rounds; ++round) {
    fresh();
    all[0].push_back(measure_in(1, [&](unsigned process) {
      AnyFilter filter = load(path);
      return measure(filter, process);
    }));
    fresh();
    all[1].push_back(measure_in(1, [&](unsigned process) {
      MappedFilter mapped = open_mapped(path, {.access = MapOptions::read_write});
      return measure(mapped.writable(), process);
    }));
    for (const unsigned count : {1U, most}) {
      fresh();
      all[count == 1 ? 2 : 3].push_back(measure_in(count, [&](unsigned process) {
        SharedFilter shared = open_shared(path, {.seal_at_close = false});
        return measure(shared.filter(), process);
      }));
    }
  }
  std::filesystem::remove(path);
  std::printf("nanoseconds a key of 64 bits, blocked filter for %llu keys\n%-28s",
              static_cast<unsigned long long>(kCapacity), "");
  for (const char* name : kNames) std::printf("%18s", name);
  std::printf("\n");
  report("in memory", all[0]);
  report("mapped by this process", all[1]);
  report("shared, one process", all[2]);
  report(("shared, " + std::to_string(most) + " processes").c_str(), all[3]);
  return 0;
}

}  // namespace
}  // namespace bloomery

int main(int count, char** words) {
  return bloomery::run(count > 1 ? words[1] : "/dev/shm", count > 2 ? std::atoi(words[2]) : 5);
}
