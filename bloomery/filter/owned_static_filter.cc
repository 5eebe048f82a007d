// SPDX-License-Identifier: Apache-2.0
#include "bloomery/filter/owned_static_filter.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <string>
#include <utility>

#include "bloomery/bits/heap_words.h"
#include "bloomery/errors.h"
#include "bloomery/filter/distinct_pairs.h"
#include "bloomery/filter/static_bytes.h"

namespace bloomery {

OwnedStaticFilter OwnedStaticFilter::build(FilterParameters parameters,
                                           std::span<const HashPair> hashes, StaticForm form) {
  if (parameters.kind == FilterKind::fuse) form = StaticForm::fuse;
  const DistinctPairs keys(hashes, parameters.hash);
  const auto bytes = static_bytes::build(
      keys, {.false_positive_rate = parameters.false_positive_rate, .form = form, .unit_bytes = 8});
  HeapWords words(bytes.size() / sizeof(std::uint64_t));
  std::memcpy(words.words().data(), bytes.data(), bytes.size());
  const StaticFilter built(bytes);
  parameters.kind = built.is_fuse() ? FilterKind::fuse : FilterKind::fixed;
  parameters.geometry = built.geometry();
  parameters.capacity = std::max<std::uint64_t>(1, keys.size());
  return {{parameters, keys.size()}, SharedWords::of(std::move(words))};
}

OwnedStaticFilter::OwnedStaticFilter(const FilterContents& contents, SharedWords words)
    : parameters_(contents.parameters),
      inserted_(contents.inserted),
      words_(std::move(words)),
      filter_(std::as_bytes(std::as_const(words_).words()), parameters_.hash) {
  if (filter_.geometry() != parameters_.geometry ||
      filter_.is_fuse() != (parameters_.kind == FilterKind::fuse)) {
    throw FormatError("the trailer of a static filter is not that of its kind and geometry");
  }
}

void OwnedStaticFilter::check(const FilterContents& contents) {
  const Geometry& geometry = contents.parameters.geometry;
  if (geometry.bit_count % kWordBits != 0 || geometry.lines_per_key > 1) {
    throw FormatError("impossible geometry of a static filter: " +
                      std::to_string(geometry.bit_count) + " bits (a multiple of 64), " +
                      std::to_string(geometry.lines_per_key) + " lines a key (0 or 1)");
  }
}

OwnedStaticFilter::OwnedStaticFilter(OwnedStaticFilter&& other) noexcept
    : parameters_(std::move(other.parameters_)),
      inserted_(other.inserted_),
      words_(std::move(other.words_)),
      filter_(other.filter_) {
  other.leave();
}

OwnedStaticFilter& OwnedStaticFilter::operator=(OwnedStaticFilter&& other) noexcept {
  if (this == &other) return *this;
  parameters_ = std::move(other.parameters_);
  inserted_ = other.inserted_;
  words_ = std::move(other.words_);
  filter_ = other.filter_;
  other.leave();
  return *this;
}

// One probe, in a word of ones.
void OwnedStaticFilter::leave() noexcept {
  constexpr std::uint64_t kTrailer = static_bytes::kBloomMark | 1U << 8;
  static std::array<std::uint64_t, 2> full = [] {
    std::array<std::uint64_t, 2> words{~std::uint64_t{0}, kTrailer};
    const auto bytes = std::as_bytes(std::span(words));
    const std::uint64_t sum =
        static_bytes::checksum_of(bytes.first(bytes.size() - static_bytes::kChecksumBytes));
    words[1] |= sum << 32;
    return words;
  }();
  parameters_.kind = FilterKind::fixed;
  parameters_.geometry = {.bit_count = kWordBits, .probe_count = 1};
  parameters_.capacity = 1;
  inserted_ = 1;
  words_ = SharedWords::of_program(full);
  filter_ = StaticFilter(std::as_bytes(std::as_const(words_).words()), parameters_.hash);
}

}  // namespace bloomery
