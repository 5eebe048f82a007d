// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "bloomery/bits/heap_words.h"
#include "bloomery/filter/filter_kinds.h"
#include "tests/support/keys.h"

// Filters for the tests of files: every kind, hash and number of lines, the same on every run.
namespace bloomery::testing {

struct Sample {
  std::string name;
  AnyFilter filter;
};

inline SecretKey sample_key() {
  return {{0x0123456789abcdef, 0xfedcba9876543210, 0x0f1e2d3c4b5a6978, 0x1122334455667788}};
}

inline std::vector<std::string> sample_members(std::size_t count = 500) {
  return texts(count, "member:");
}

// A filter of these parameters, with so many of the sample's members.
inline AnyFilter filled(const FilterParameters& parameters, std::size_t key_count) {
  const auto members = sample_members(key_count);
  if (is_built_once(parameters.kind)) {
    std::vector<HashPair> hashes;
    for (const auto& member : members) hashes.push_back(parameters.hash(Key(member)));
    return AnyFilter(OwnedStaticFilter::build(parameters, hashes, StaticForm::bloom));
  }
  const auto& kind = *std::ranges::find(filter_kinds(), parameters.kind, &Kind::number);
  AnyFilter filter = kind.make(parameters);
  filter.take_keys_as_said();  // the members are texts, whatever it says of them
  filter.insert_many(keys_of(members));
  return filter;
}

// With as many keys as it is made for, or `key_count`.
inline AnyFilter sample(FilterKind kind, const FilterOptions& options, std::size_t key_count = 0) {
  FilterParameters parameters = parameters_for(kind, geometry_for(kind, options), options);
  if (options.secret) parameters.hash = NativeHash(sample_key());
  if (key_count == 0) key_count = std::min<std::size_t>(options.capacity, 500);
  return filled(parameters, key_count);
}

// Options of filters as versions made them that knew no other hash.
inline FilterOptions of_xxh3(FilterOptions options) {
  options.hash = HashId::native;
  return options;
}

inline std::vector<Sample> samples() {
  std::vector<Sample> all;
  for (const Kind& kind : filter_kinds()) {
    const std::string name(kind.name);
    all.push_back({name, sample(kind.number, of_xxh3({.capacity = 500}))});
    all.push_back({name + "_seeded", sample(kind.number, of_xxh3({.capacity = 500, .seed = 77}))});
    all.push_back({name + "_secret", sample(kind.number, {.capacity = 500, .secret = true})});
    all.push_back({name + "_low_rate",
                   sample(kind.number, of_xxh3({.capacity = 500, .false_positive_rate = 1e-7}))});
    all.push_back({name + "_one_key", sample(kind.number, of_xxh3({.capacity = 1}))});
    all.push_back({name + "_products", sample(kind.number, {.capacity = 500, .seed = 77})});
    all.push_back(
        {name + "_aes", sample(kind.number, {.capacity = 500, .seed = 77, .hash = HashId::aes})});
  }
  all.push_back({"blocked_fold",
                 sample(FilterKind::blocked, {.capacity = 500, .seed = 77, .hash = HashId::fold})});
  for (const Kind& kind : filter_kinds()) {
    all.push_back({std::string(kind.name) + "_of_i64",
                   sample(kind.number, of_xxh3({.capacity = 500, .keys = {KeyEncoding::i64}}))});
  }
  all.push_back(
      {"blocked_of_normalised_text",
       sample(FilterKind::blocked,
              of_xxh3({.capacity = 500,
                       .keys = {KeyEncoding::text, Normalise::trim | Normalise::lower}}))});
  // The golden file of the first began with a 128th of the rate, that of the second with half.
  for (const char* name : {"scalable_grown", "scalable_from_half_grown"}) {
    all.push_back({name, sample(FilterKind::scalable, of_xxh3({.capacity = 10}), 500)});
  }
  return all;
}

// The golden file of a window by time: keys over four days, by the clock that is passed.
inline void insert_over_days(AnyFilter& filter, std::uint64_t& now_ms) {
  for (const std::string& member : sample_members()) {
    filter.insert(Key(member));
    now_ms += 4 * 86'400'000ULL / 500;
  }
}

}  // namespace bloomery::testing
