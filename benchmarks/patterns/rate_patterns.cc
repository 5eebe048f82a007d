// SPDX-License-Identifier: Apache-2.0
#include "benchmarks/patterns/rate_patterns.h"

#include <memory>

#include "cli/key_patterns.h"

namespace bloomery::bench {
namespace {

// Keys of `bloomery measure` in memory for any number of them.
class MeasuredKeys {
 public:
  explicit MeasuredKeys(cli::KeyPattern pattern) : pattern_(pattern) {}

  KeyChunk make(std::uint64_t first, std::uint64_t count) {
    bytes_.resize(count * cli::kPatternBytes);
    keys_.resize(count);
    char* out = bytes_.data();
    for (Key& key : keys_) {
      key = {out, cli::write_pattern_key(pattern_, first++, out)};
      out += key.size();
    }
    return {.integers = {}, .texts = keys_};
  }

 private:
  cli::KeyPattern pattern_;
  std::vector<char> bytes_;
  std::vector<Key> keys_;
};

}  // namespace

void add_measured(std::vector<RatePattern>& patterns) {
  using enum cli::KeyPattern;
  for (const cli::KeyPattern pattern : {random, counter, shifted, uuid, url}) {
    const auto keys = std::make_shared<MeasuredKeys>(pattern);
    patterns.push_back(
        {"measure " + std::string(cli::key_pattern_name(pattern)), kEveryNumber,
         [keys](std::uint64_t first, std::uint64_t count) { return keys->make(first, count); }});
  }
}

std::vector<RatePattern> rate_patterns() {
  std::vector<RatePattern> patterns;
  add_counters(patterns);
  add_things(patterns);
  add_measured(patterns);
  return patterns;
}

}  // namespace bloomery::bench
