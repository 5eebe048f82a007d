// SPDX-License-Identifier: Apache-2.0
#include "cli/dedup/loss_record.h"

#include <algorithm>
#include <limits>

#include "bloomery/filter/rates.h"
#include "bloomery/format/kinds.h"

namespace bloomery::cli {
namespace {

// A chain only gets fuller: between two looks its rate was never above that at the second.
constexpr std::uint64_t kLooksAtChain = 16;

// A window also empties. A 64th of its keys more are, at the 20 bits a key of a rate of 10^-6, half
// as high a rate again.
constexpr std::uint64_t kLooksAtWindow = 64;
constexpr double kWindowFactor = 2;

}  // namespace

LossRecord::LossRecord(const AnyFilter& filter)
    : filter_(filter), keys_before_(filter.inserted() == 0 ? 0 : filter.cardinality()) {
  if (kind_of(filter.parameters().kind).forgets) {
    looks_a_fill_ = kLooksAtWindow;
    highest_factor_ = kWindowFactor;
  } else if (!filter.contents().layers.empty()) {
    looks_a_fill_ = kLooksAtChain;
  } else {
    geometry_ = filter.geometry();
    return;
  }
  last_rate_ = filter.predicted_rate();
  until_look_ = std::max<std::uint64_t>(1, filter.capacity() / looks_a_fill_);
}

std::uint64_t LossRecord::next_look() const noexcept {
  return geometry_ ? std::numeric_limits<std::uint64_t>::max() : until_look_;
}

void LossRecord::look(std::uint64_t answered, std::uint64_t new_count) {
  if (geometry_) return;
  until_look_ -= std::min(until_look_, answered);
  if (until_look_ > 0) return;
  const double rate = filter_.predicted_rate();
  const auto news = static_cast<double>(new_count - news_at_last_);
  likely_.add((last_rate_ + rate) / 2, news);
  worst_.add(highest_factor_ * std::max(last_rate_, rate), news);
  last_rate_ = rate;
  news_at_last_ = new_count;
  until_look_ = std::max<std::uint64_t>(1, filter_.capacity() / looks_a_fill_);
}

Loss LossRecord::loss(std::uint64_t new_count, std::uint64_t known_count) const {
  if (geometry_) return estimate_loss(*geometry_, keys_before_, new_count, known_count);
  LossSum likely = likely_;
  LossSum worst = worst_;
  // The answers "new" since the last look() count, and one more, which did not come any more.
  const double rate = filter_.predicted_rate();
  const auto news = static_cast<double>(new_count - news_at_last_);
  likely.add((last_rate_ + rate) / 2, news);
  likely.add(rate, 1);
  worst.add(highest_factor_ * std::max(last_rate_, rate), news + 1);
  return loss_of(likely, worst, 1 - kLossConfidence, known_count);
}

double LossRecord::rate(std::uint64_t new_count) const {
  if (!geometry_) return filter_.predicted_rate();
  return predicted_rate(*geometry_, keys_before_ + static_cast<double>(new_count));
}

}  // namespace bloomery::cli
