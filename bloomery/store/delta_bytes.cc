// SPDX-License-Identifier: Apache-2.0
#include "bloomery/store/delta_bytes.h"

#include <bit>

#include "bloomery/bits/bit_storage.h"
#include "bloomery/hash/xxh3.h"

namespace bloomery {
namespace {

constexpr std::uint64_t kRemembered = 32;

}  // namespace

unsigned distance_parameter(std::uint64_t count) noexcept {
  return static_cast<unsigned>(std::bit_width((kLineBits - count) / (count + 1))) - 1;
}

void DeltaDigest::add(std::span<const std::byte> piece) noexcept {
  value_ = xxh3_64(piece, value_);
}

unsigned RiceModel::parameter() const noexcept {
  const std::uint64_t mean = sum_ / count_;
  return mean == 0 ? 0 : static_cast<unsigned>(std::bit_width(mean)) - 1;
}

void RiceModel::learn(std::uint64_t value) noexcept {
  sum_ += value;
  if (++count_ < kRemembered) return;
  sum_ /= 2;
  count_ /= 2;
}

}  // namespace bloomery
