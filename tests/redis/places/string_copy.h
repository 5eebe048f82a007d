// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bloomery/filter/any_filter.h"
#include "bloomery/place/apply_hashes.h"
#include "bloomery/redis/places/string_deltas.h"

namespace bloomery::redis {

// A copy as LocalCopy keeps it, but looked at step by step.
class StringCopy {
 public:
  explicit StringCopy(const std::string& location) : source_(open_string_deltas(location)) {}

  // Goes on until it has what is there now; throws as its source does.
  void look() {
    constexpr std::uint64_t kMostOfCopy = std::uint64_t{1} << 28;
    for (bool is_last = false; !is_last && filter;) {
      const auto delta = source_->since(position_, std::chrono::milliseconds(1), {});
      if (!delta) break;
      apply_hashes(*filter, delta->hashes);
      hashes += delta->hashes.size();
      position_ = delta->position;
      is_last = delta->is_last;
      if (!is_last) continue;
      reached = delta->reached;
      return;
    }
    auto whole = source_->read_whole(kMostOfCopy, {});
    filter.emplace(std::move(whole.filter));
    reached = whole.reached;
    position_ = whole.position;
    ++whole_reads;
  }

  std::size_t missing(const std::vector<std::string>& keys) const {
    return static_cast<std::size_t>(std::ranges::count_if(
        keys, [&](const std::string& key) { return !filter->may_contain(Key(key)); }));
  }
  void expect_bits_of(FilterPlace& place) const {
    const AnyFilter there = place.copy();
    EXPECT_TRUE(std::ranges::equal(std::as_const(*filter).contents().words.front(),
                                   there.contents().words.front()));
  }

  std::optional<AnyFilter> filter{};
  std::optional<Watermark> reached{};
  int whole_reads = 0;
  std::uint64_t hashes = 0;

 private:
  std::unique_ptr<DeltaSource> source_;
  DeltaPosition position_{};
};

}  // namespace bloomery::redis
