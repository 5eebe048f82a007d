// SPDX-License-Identifier: Apache-2.0
#include "benchmarks/memory_limit.h"

#include <benchmark/benchmark.h>

#include <array>
#include <limits>
#include <span>

#include "benchmarks/pages.h"
#include "bloomery/hash/hash_pair.h"

namespace bloomery::bench {
namespace {

constexpr std::uint64_t kLineWords = 8;
constexpr std::size_t kRing = 256;

enum class Access { read, write };

template <Access kAccess>
std::uint64_t touch(std::uint64_t* line) noexcept {
  const std::uint64_t old = *line;
  if constexpr (kAccess == Access::write) *line = old + 1;
  return old;
}

// Two multiplications' worth of chance: enough for the high bits, which choose the line.
std::uint64_t random_line(std::uint64_t number, std::uint64_t lines) noexcept {
  std::uint64_t mixed = number * 0x9e3779b97f4a7c15;
  mixed = (mixed ^ (mixed >> 32)) * 0xd1342543de82ef95;
  return fast_range(mixed, lines);
}

// Lines are asked for `lag` lines before they are touched; kLocality as of __builtin_prefetch, -1
// for touching them at once.
template <Access kAccess, int kLocality>
std::uint64_t walk(std::span<std::uint64_t> words, std::uint64_t first, std::uint64_t count,
                   std::size_t lag) {
  std::uint64_t* const base = words.data();
  const std::uint64_t lines = words.size() / kLineWords;
  std::uint64_t sum = 0;
  if constexpr (kLocality < 0) {
    for (std::uint64_t i = 0; i < count; ++i) {
      sum += touch<kAccess>(base + kLineWords * random_line(first + i, lines));
    }
  } else {
    std::array<std::uint64_t*, kRing> asked{};
    const auto ask = [&](std::uint64_t i) {
      std::uint64_t* const line = base + kLineWords * random_line(first + i, lines);
      __builtin_prefetch(line, 0, kLocality);
      asked[i % kRing] = line;
    };
    for (std::uint64_t i = 0; i < lag; ++i) ask(i);
    for (std::uint64_t i = 0; i < count; ++i) {
      ask(i + lag);
      sum += touch<kAccess>(asked[i % kRing]);
    }
  }
  return sum;
}

using Walk = std::uint64_t (*)(std::span<std::uint64_t>, std::uint64_t, std::uint64_t, std::size_t);

struct Candidate {
  std::string how;
  Walk walk;
  std::size_t lag;
};

template <Access kAccess>
std::vector<Candidate> candidates() {
  std::vector<Candidate> all{{"no prefetch", walk<kAccess, -1>, 0}};
  for (const std::size_t lag : {16, 32, 64, 128}) {
    const std::string ahead = ", " + std::to_string(lag) + " ahead";
    all.push_back({"prefetcht0" + ahead, walk<kAccess, 3>, lag});
    all.push_back({"prefetcht1" + ahead, walk<kAccess, 2>, lag});
  }
  return all;
}

// The fastest candidate by its median; repetitions go round all candidates, so that a bad moment of
// the machine hits all alike.
LineCost best_of(const std::vector<Candidate>& ways, std::span<std::uint64_t> words,
                 const Settings& settings) {
  const std::uint64_t count = settings.smoke ? 1'000 : 1'000'000;
  std::vector<std::vector<Timing>> timings(ways.size());
  std::uint64_t first = 0;
  for (int repetition = 0; repetition < settings.repetitions; ++repetition) {
    for (std::size_t i = 0; i < ways.size(); ++i) {
      const Stopwatch watch;
      benchmark::DoNotOptimize(ways[i].walk(words, first, count, ways[i].lag));
      timings[i].push_back(watch.per(static_cast<double>(count)));
      first += 2 * count;
    }
  }
  LineCost best{{std::numeric_limits<double>::infinity(), 0}, ""};
  for (std::size_t i = 0; i < ways.size(); ++i) {
    const Timing timing = median(timings[i]);
    if (timing.cpu_ns < best.timing.cpu_ns) best = {timing, ways[i].how};
  }
  return best;
}

}  // namespace

MemoryLimit measure_memory_limit(std::uint64_t byte_count, const Settings& settings) {
  MemoryLimit limit;
  limit.byte_count = byte_count;
  {
    const Pages pages(byte_count, PageKind::huge);
    limit.read = best_of(candidates<Access::read>(), pages.words(), settings);
    limit.write = best_of(candidates<Access::write>(), pages.words(), settings);
    limit.huge_page_share = huge_page_share(pages.words());
  }
  const Pages pages(byte_count, PageKind::small);
  limit.read_small_pages = best_of(candidates<Access::read>(), pages.words(), settings);
  limit.write_small_pages = best_of(candidates<Access::write>(), pages.words(), settings);
  return limit;
}

}  // namespace bloomery::bench
