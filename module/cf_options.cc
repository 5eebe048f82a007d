// SPDX-License-Identifier: Apache-2.0
#include "module/cf_options.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <limits>
#include <optional>
#include <string>

#include "module/refusal.h"

namespace bloomery::module {
namespace {

using redisbloom::CuckooOptions;

struct Option {
  const char* name;
  std::int64_t least;
  std::int64_t most;
  std::uint64_t CuckooOptions::*field;
};
// In the order in which they are looked at.
constexpr std::array<Option, 3> kOptions{{
    {"MAXITERATIONS", 1, kMostIterations, &CuckooOptions::max_iterations},
    {"BUCKETSIZE", 1, kMostBucketSize, &CuckooOptions::bucket_size},
    {"EXPANSION", 0, kMostExpansion, &CuckooOptions::expansion},
}};

std::string range_up_to(const std::string& least, std::uint64_t most) {
  return " must be in the range [" + least + ", " + std::to_string(most) + "]";
}

// RedisBloom had no such limit before 8.
std::uint64_t most_capacity(const Settings& settings) noexcept {
  return settings.is_replay ? std::numeric_limits<std::int64_t>::max() : kUsualMostCapacity;
}

}  // namespace

CuckooOptions usual_cuckoo_options(const Settings& settings) {
  return {.capacity = settings.cuckoo.capacity,
          .bucket_size = settings.cuckoo.bucket_size,
          .max_iterations = settings.cuckoo.max_iterations,
          .expansion = settings.cuckoo.expansion};
}

CuckooOptions parse_cuckoo_reserve(std::span<const std::string_view> words,
                                   const Settings& settings) {
  constexpr std::size_t kFirstOption = 3;
  if (words.size() % 2 == 0) throw WrongArity();
  CuckooOptions options = usual_cuckoo_options(settings);
  const auto capacity = parse_integer(words[2]);
  if (!capacity) throw Refusal("Bad capacity");

  const auto optional = words.subspan(kFirstOption);
  for (const Option& option : kOptions) {
    const auto named = std::ranges::find_if(
        optional, [&](std::string_view each) { return same_word(each, option.name); });
    if (named == optional.end()) continue;
    const auto value = named + 1 == optional.end() ? std::nullopt : parse_integer(*(named + 1));
    if (!value) throw Refusal(std::string("Couldn't parse ") + option.name);
    if (*value < option.least || *value > option.most) {
      throw Refusal(
          std::string(option.name) + ": value" +
          range_up_to(std::to_string(option.least), static_cast<std::uint64_t>(option.most)));
    }
    options.*option.field = static_cast<std::uint64_t>(*value);
  }
  options.capacity = static_cast<std::uint64_t>(std::max(*capacity, std::int64_t{0}));
  if (options.capacity < 2 * options.bucket_size || options.capacity > most_capacity(settings)) {
    throw Refusal("Capacity" + range_up_to("2 * BUCKETSIZE", kUsualMostCapacity));
  }
  return options;
}

CuckooInsertOptions parse_cuckoo_insert(std::span<const std::string_view> words,
                                        const Settings& settings) {
  CuckooInsertOptions options;
  options.filter = usual_cuckoo_options(settings);
  for (std::size_t i = 2; options.first_item == 0; ++i) {
    if (i >= words.size()) throw WrongArity();
    const std::string_view word = words[i];
    switch (word.empty() ? '\0' : std::tolower(static_cast<unsigned char>(word[0]))) {
      case 'i':
        options.first_item = i + 1;
        break;
      case 'c': {
        if (++i >= words.size()) throw WrongArity();
        auto capacity = parse_integer(words[i]);
        if (!capacity) throw Refusal("Bad capacity");
        const auto two_buckets = 2 * static_cast<std::int64_t>(settings.cuckoo.bucket_size);
        // A primary's buckets may be smaller than the usual ones here.
        if (settings.is_replay) capacity = std::max(*capacity, two_buckets);
        if (*capacity < two_buckets ||
            *capacity > static_cast<std::int64_t>(most_capacity(settings))) {
          throw Refusal("Capacity" + range_up_to("cf-bucket-size * 2", kUsualMostCapacity));
        }
        options.filter.capacity = static_cast<std::uint64_t>(*capacity);
        break;
      }
      case 'n':
        options.create = false;
        break;
      default:
        throw Refusal("Unknown argument received");
    }
  }
  if (options.first_item >= words.size()) throw WrongArity();
  return options;
}

}  // namespace bloomery::module
