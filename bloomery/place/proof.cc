// SPDX-License-Identifier: Apache-2.0
#include "bloomery/place/proof.h"

#include <algorithm>
#include <bit>

namespace bloomery {
namespace {

// The proofs of one part among `all`, which are in the order of their parts.
template <class P>
std::span<P> of_part(std::span<P> all, std::uint32_t part) noexcept {
  const auto begin = std::ranges::lower_bound(all, part, {}, &Proof::part);
  const auto end = std::ranges::upper_bound(all, part, {}, &Proof::part);
  return all.subspan(static_cast<std::size_t>(begin - all.begin()),
                     static_cast<std::size_t>(end - begin));
}

}  // namespace

void Proofs::add_behind(const Proof& proof) {
  const std::span<Proof> all = many_.empty() ? std::span(few_).first(count_) : std::span(many_);
  const std::span<Proof> same = of_part(all, proof.part);
  for (Proof& each : same) {
    if (!each.is_of_filter_of(proof)) continue;
    if (proof.watermark && proof.watermark->reaches(*each.watermark)) each = proof;
    return;
  }
  const auto at = same.data() - all.data();
  const auto begin = all.begin() + at;
  if (count_ < few_.size()) {
    std::move_backward(begin, all.end(), few_.begin() + static_cast<std::ptrdiff_t>(count_) + 1);
    few_[static_cast<std::size_t>(at)] = proof;
    ++count_;
    return;
  }
  if (many_.empty()) many_.assign(few_.begin(), few_.end());
  many_.insert(many_.begin() + at, proof);
}

bool Proofs::has_filter_of(const Proof& proof) const noexcept {
  return std::ranges::any_of(of_part(all(), proof.part),
                             [&](const Proof& each) { return each.is_of_filter_of(proof); });
}

bool Proofs::shares_filter_with(const Proofs& others) const noexcept {
  return std::ranges::any_of(all(), [&](const Proof& each) {
    return std::ranges::any_of(of_part(others.all(), each.part), [&](const Proof& other) {
      return each.filter != 0 && each.filter == other.filter;
    });
  });
}

std::uint64_t Proofs::highest_of(const Identity& source) const noexcept {
  std::uint64_t highest = 0;
  for (const Proof& each : all()) {
    if (each.watermark && each.watermark->source == source)
      highest = std::max(highest, each.watermark->position);
  }
  return highest;
}

// Identities are random: of two that differ, two numbers are equal once in 2^64.
std::uint64_t FilterNumbers::of(const Identity& filter) const noexcept {
  if (!filter.is_set()) return 0;
  constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;
  const std::uint64_t number = filter.low ^ std::rotl(filter.high * kOdd, 32) ^ (place_ * kOdd);
  return number != 0 ? number : 1;
}

}  // namespace bloomery
