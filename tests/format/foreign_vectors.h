// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <functional>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "bloomery/bits/bit_view.h"
#include "bloomery/errors.h"
#include "bloomery/filter/any_filter.h"
#include "bloomery/format/format.h"
#include "tests/support/fingerprint.h"

// Reading of vectors, for the tests of all formats.
namespace bloomery::golden {

inline std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

inline std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

inline AnyFilter created(const Format& format, std::uint64_t capacity, double rate) {
  return format.create({.capacity = capacity, .false_positive_rate = rate}, {});
}

inline std::string written_as(const Format& format, const AnyFilter& filter) {
  return text_of(encode(format, filter.contents()));
}

// A configuration hash of Redis.
inline FormatSettings settings_of(const nlohmann::json& hash) {
  FormatSettings settings;
  for (const auto& [name, value] : hash.items()) settings[name] = value.get<std::string>();
  return settings;
}

using MakeKey = std::function<std::string(std::int64_t)>;

// Key i by a pattern such as "user:"+i, user:%d, i or fingerprint.
inline MakeKey text_keys(std::string pattern) {
  if (pattern == "fingerprint") return fingerprint;
  if (!pattern.starts_with('"')) {
    const std::size_t at = pattern.find("%d");
    return [=](std::int64_t i) { return pattern.substr(0, at) + std::to_string(i); };
  }
  const std::string prefix = pattern.substr(1, pattern.rfind('"') - 1);
  return [=](std::int64_t i) { return prefix + std::to_string(i); };
}

// Calls visit(first number, keys) for the keys [from, to), a batch at a time.
template <class Visit>
void for_each_batch(const MakeKey& make, std::int64_t from, std::int64_t to, Visit visit) {
  constexpr std::int64_t kBatch = 20'000;
  std::vector<std::string> texts;
  for (std::int64_t first = from; first < to; first += kBatch) {
    const std::int64_t count = std::min(kBatch, to - first);
    texts.resize(static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < count; ++i) {
      texts[static_cast<std::size_t>(i)] = make(first + i);
    }
    const std::vector<Key> keys(texts.begin(), texts.end());
    visit(first, keys);
  }
}

// Inserts keys [from, to); which of them were not new.
inline std::vector<std::int64_t> insert_all(AnyFilter& filter, const MakeKey& make,
                                            std::int64_t from, std::int64_t to) {
  std::vector<std::int64_t> old;
  for_each_batch(make, from, to, [&](std::int64_t first, const std::vector<Key>& keys) {
    const auto was_new = std::make_unique<bool[]>(keys.size());
    filter.insert_many(keys, std::span(was_new.get(), keys.size()));
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (!was_new[i]) old.push_back(first + static_cast<std::int64_t>(i));
    }
  });
  return old;
}

// Returns which of the keys [from, to) may be in the filter, asked in batches and the first one by
// one.
inline std::vector<std::int64_t> present(const AnyFilter& filter, const MakeKey& make,
                                         std::int64_t from, std::int64_t to) {
  std::vector<std::int64_t> all;
  for_each_batch(make, from, to, [&](std::int64_t first, const std::vector<Key>& keys) {
    const auto found = std::make_unique<bool[]>(keys.size());
    filter.may_contain_many(keys, std::span(found.get(), keys.size()));
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (found[i]) all.push_back(first + static_cast<std::int64_t>(i));
      if (first > from || i >= 2000) continue;
      EXPECT_EQ(filter.may_contain(keys[i]), found[i]) << keys[i];
    }
  });
  return all;
}

// Returns decode's message about bytes that are not the format, or "taken".
inline std::string refusal(const Format& format, const std::string& bytes) {
  try {
    format.decode(bytes_of(bytes), {});
  } catch (const FormatError& error) {
    return error.what();
  }
  return "taken";
}

// The positions of set bits, in order.
inline std::vector<std::uint64_t> set_positions(const AnyFilter& filter) {
  std::vector<std::uint64_t> positions;
  const BitView bits(filter.contents().words.front());
  for (std::size_t i = 0; i < bits.size(); ++i) {
    for (std::uint64_t word = bits[i]; word != 0; word &= word - 1) {
      positions.push_back(i * 64 + static_cast<std::uint64_t>(std::countr_zero(word)));
    }
  }
  return positions;
}

// In decimal, each on a line of its own.
inline std::string lines_of(const std::vector<std::uint64_t>& numbers) {
  std::string lines;
  for (const std::uint64_t each : numbers) lines += std::to_string(each) + '\n';
  return lines;
}

// A list in a vector may be cut short: the first of `all` must be it.
inline void expect_begins_with(const std::vector<std::int64_t>& all, const nlohmann::json& list) {
  const std::vector<std::int64_t> first = list;
  ASSERT_LE(first.size(), all.size());
  EXPECT_EQ(std::vector(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(first.size())),
            first);
}

}  // namespace bloomery::golden
