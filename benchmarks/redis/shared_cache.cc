// SPDX-License-Identifier: Apache-2.0
// shared_cache LOCATION [ROUNDS]: microseconds that a hit takes in a RedisCache at that location,
// of one key and of a batch of 1,000. Medians, quartiles beside them; it leaves its entries to
// expire.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include "bloomery/cache/redis_cache.h"

namespace bloomery {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kKeys = 1'000;

// Microseconds of each of `rounds` calls.
std::vector<double> measure(std::size_t rounds, const auto& work) {
  std::vector<double> all;
  for (std::size_t i = 0; i < rounds; ++i) {
    const Clock::time_point begin = Clock::now();
    work(i);
    all.push_back(std::chrono::duration<double, std::micro>(Clock::now() - begin).count());
  }
  std::ranges::sort(all);
  return all;
}

void report(const char* what, const std::vector<double>& all) {
  std::printf("%-24s %9.1f us (%.1f to %.1f)\n", what, all[all.size() / 2], all[all.size() / 4],
              all[all.size() * 3 / 4]);
}

// Throws where an entry is missing: that would not be a hit.
void require_hits(const std::vector<CacheAnswer<std::string>>& answers) {
  if (!std::ranges::all_of(answers, [](const auto& a) { return a.state == Cached::hit; })) {
    throw std::runtime_error("an entry is not there");
  }
}

void run(const char* location, std::size_t rounds) {
  RedisCache<> cache(location);
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < kKeys; ++i) texts.push_back("row:" + std::to_string(i));
  const std::vector<Key> keys(texts.begin(), texts.end());
  const std::string value(100, 'v');
  for (const Key key : keys) cache.put(key, value, std::chrono::minutes(10));
  std::vector<CacheAnswer<std::string>> answers(kKeys);
  cache.get_many(keys, answers);
  require_hits(answers);

  report("one key", measure(20 * rounds, [&](std::size_t i) {
           std::vector<CacheAnswer<std::string>> answer(1);
           cache.get_many({&keys[i % kKeys], 1}, answer);
           require_hits(answer);
         }));
  report("1,000 keys", measure(rounds, [&](std::size_t) {
           cache.get_many(keys, answers);
           require_hits(answers);
         }));
}

}  // namespace
}  // namespace bloomery

int main(int argc, char** argv) {
  if (argc < 2 || argc > 3) {
    std::fputs("usage: shared_cache LOCATION [ROUNDS]\n", stderr);
    return 2;
  }
  try {
    bloomery::run(argv[1], argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 500);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "shared_cache: %s\n", error.what());
    return 1;
  }
}
