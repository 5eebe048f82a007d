// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "bloomery/filter/any_filter.h"
#include "cli/dedup/expected_loss.h"

namespace bloomery::cli {

// Keeps account of how many new keys a filter of any kind takes for known while it is filled. Where
// one formula says the rate at every fill, that is integrated at the end. The bits of filters that
// grow or forget are looked at on the way instead, sixteen times or more while as many keys are
// inserted as the filter is for.
class LossRecord {
 public:
  // `filter` as it is before the first key. It is asked again, so it must stay where it is.
  explicit LossRecord(const AnyFilter& filter);

  // How many keys may be inserted before the next look(); the whole batch where there is no need.
  std::uint64_t next_look() const noexcept;

  // Notes that `answered` keys were inserted, to `new_count` of which the answer was "new".
  void look(std::uint64_t answered, std::uint64_t new_count);

  // Returns the loss among `new_count` keys that were called new and `known_count` that were not.
  Loss loss(std::uint64_t new_count, std::uint64_t known_count) const;

  // The rate now.
  double rate(std::uint64_t new_count) const;

  // Returns whether the filter is for a certain number of keys, which can be exceeded.
  bool has_fixed_size() const noexcept { return geometry_.has_value(); }

  // Distinct keys that the filter held at the start, by its bits.
  double keys_before() const noexcept { return keys_before_; }

 private:
  const AnyFilter& filter_;
  std::optional<Geometry> geometry_;
  double keys_before_;

  double last_rate_ = 0;
  double highest_factor_ = 1;  // of what the rate may have been between two looks
  std::uint64_t looks_a_fill_ = 0;
  std::uint64_t until_look_ = 0;
  std::uint64_t news_at_last_ = 0;
  LossSum likely_;
  LossSum worst_;
};

}  // namespace bloomery::cli
