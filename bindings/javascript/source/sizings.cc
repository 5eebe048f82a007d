// SPDX-License-Identifier: Apache-2.0
#include "bindings/javascript/source/sizings.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <string>

#include "bloomery/filter/blocked_layout.h"
#include "bloomery/filter/classic_layout.h"
#include "bloomery/filter/counting_layout.h"
#include "bloomery/filter/make_kind.h"
#include "bloomery/filter/native_probes.h"
#include "bloomery/filter/next_layer.h"
#include "bloomery/filter/owned_static_filter.h"
#include "bloomery/filter/rates.h"
#include "bloomery/filter/static_bytes.h"
#include "bloomery/filter/windowed_layout.h"
#include "bloomery/format/bloom_filter_helper.h"
#include "bloomery/format/dcso.h"
#include "bloomery/format/gozero.h"
#include "bloomery/format/hutool.h"
#include "bloomery/format/leveldb.h"
#include "bloomery/format/mitz_probes.h"
#include "bloomery/format/one_line_layout.h"
#include "bloomery/format/orestes.h"
#include "bloomery/format/parquet.h"
#include "bloomery/format/php.h"
#include "bloomery/format/pyrebloom.h"
#include "bloomery/format/redisbloom/redisbloom_filter.h"
#include "bloomery/format/redisson_probes.h"
#include "bloomery/format/rocksdb.h"
#include "bloomery/format/scrapy.h"

namespace bloomery::calculator {
namespace {

template <Layout L>
constexpr Sizing of(std::string_view name) {
  return {name, L::kKind, HasParts<L>, L::geometry, L::word_count, rate_of<L>};
}

template <StaticForm form>
constexpr Sizing built_once(std::string_view name, FilterKind kind) {
  Sizing sizing{.name = name, .kind = kind};
  sizing.geometry = [](const FilterOptions& options) {
    const auto first = static_bytes::first_shape(
        options.capacity,
        {.false_positive_rate = options.false_positive_rate, .form = form, .unit_bytes = 8});
    Geometry geometry = first.bloom;
    if (first.fuse) geometry = {first.fuse->bit_count(), first.fuse->fingerprint_bits, 0, 0};
    geometry.bit_count = (geometry.bit_count + kWordBits - 1) / kWordBits * kWordBits;
    return geometry;
  };
  sizing.word_count = OwnedStaticFilter::word_count;
  sizing.rate = [](const FilterParameters& parameters, double keys) {
    const Geometry& geometry = parameters.geometry;
    return geometry.line_bits == 0 ? std::ldexp(1.0, -static_cast<int>(geometry.probe_count))
                                   : predicted_rate(geometry, keys);
  };
  return sizing;
}

constexpr Sizing scalable() {
  Sizing sizing = of<BlockedLayout>("scalable");
  sizing.kind = FilterKind::scalable;
  sizing.has_parts = false;
  sizing.next = next_layer;
  sizing.geometry = [](const FilterOptions& options) { return next_layer(options, {}).geometry; };
  return sizing;
}

constexpr Sizing redisbloom_chain() {
  Sizing sizing = of<ClassicLayout<redisbloom::Probes>>("redisbloom");
  sizing.next = [](const FilterOptions& options, std::span<const Layer> links) {
    return redisbloom::next_link(redisbloom::chain_parameters(FilterKind::redisbloom, options),
                                 links);
  };
  return sizing;
}

constexpr Sizing bloom_filter_helper_bitmap() {
  Sizing sizing = of<ClassicLayout<Mitz32Probes>>("bloom-filter-helper");
  sizing.geometry = [](const FilterOptions& options) {
    return bloom_filter_helper::geometry(options.capacity, options.false_positive_rate);
  };
  return sizing;
}

using Classic = ClassicLayout<NativeProbes>;

// Ours in the order of filter_kinds.cc, then formats in that of formats.cc. Not those whose size is
// fixed, and not two of one rule.
constexpr std::array kSizings{
    of<BlockedLayout>("blocked"),
    of<Classic>("classic"),
    of<CountingLayout<BlockedLayout>>("counting"),
    of<CountingLayout<Classic>>("classic-counting"),
    scalable(),
    of<WindowedLayout>("windowed"),
    built_once<StaticForm::smaller>("static", FilterKind::fixed),
    built_once<StaticForm::fuse>("fuse", FilterKind::fuse),
    of<ClassicLayout<Mitz64Probes>>("guava"),
    of<ClassicLayout<RedissonProbes>>("redisson"),
    bloom_filter_helper_bitmap(),
    of<ClassicLayout<PhpProbes>>("php"),
    of<ClassicLayout<OrestesProbes>>("orestes"),
    of<ClassicLayout<PyrebloomProbes>>("pyrebloom"),
    of<ClassicLayout<GozeroProbes>>("gozero"),
    of<ClassicLayout<ScrapyProbes>>("scrapy"),
    of<ClassicLayout<HutoolBitMapProbes>>("hutool"),
    of<ClassicLayout<HutoolBitSetProbes>>("hutool-bitset"),
    of<ClassicLayout<leveldb_format::Probes>>("leveldb"),
    of<OneLineLayout<rocksdb_format::FastLocal>>("rocksdb"),
    of<ClassicLayout<dcso::Probes>>("dcso"),
    of<OneLineLayout<parquet::SplitBlock>>("parquet"),
    redisbloom_chain(),
};

[[noreturn]] void refuse(const std::string& why) {
  throw std::invalid_argument(why);
}

Sized sized(const Sizing& sizing, std::uint64_t capacity, double rate) {
  const FilterOptions options{.capacity = capacity, .false_positive_rate = rate};
  validate(options);
  Sized found{{.capacity = capacity, .geometry = sizing.geometry(options)}, rate};
  found.predicted_rate = sizing.rate({.kind = sizing.kind,
                                      .geometry = found.geometry,
                                      .capacity = capacity,
                                      .false_positive_rate = rate},
                                     static_cast<double>(capacity));
  return found;
}

bool fits(const Sizing& sizing, std::uint64_t capacity, double rate, std::uint64_t bits) {
  try {
    return stored_bits(sizing, sized(sizing, capacity, rate).geometry) <= bits;
  } catch (const std::invalid_argument&) {
    return false;
  }
}

// The lowest rate that fits, as far as a hundredth of a percent of it.
double lowest_rate(const Sizing& sizing, std::uint64_t capacity, std::uint64_t bits) {
  double low = std::log(kMinRate);
  double high = std::log(0.9999);
  while (high - low > 1e-4) {
    const double middle = (low + high) / 2;
    (fits(sizing, capacity, std::exp(middle), bits) ? high : low) = middle;
  }
  return std::exp(high);
}

std::uint64_t most_keys(const Sizing& sizing, double rate, std::uint64_t bits) {
  std::uint64_t low = 1;
  std::uint64_t high = 2;
  for (; high < std::uint64_t{1} << 60 && fits(sizing, high, rate, bits); high *= 2) low = high;
  while (high - low > 1) {
    const std::uint64_t middle = low + (high - low) / 2;
    (fits(sizing, middle, rate, bits) ? low : high) = middle;
  }
  return low;
}

}  // namespace

std::span<const Sizing> sizings() noexcept {
  return kSizings;
}

std::uint64_t stored_bits(const Sizing& sizing, const Geometry& geometry) {
  const std::uint64_t words = sizing.word_count({.kind = sizing.kind, .geometry = geometry});
  return words * kWordBits;
}

Sized solve(const Sizing& sizing, const Known& known) {
  if (std::ranges::find(kSolvableKinds, sizing.kind) != kSolvableKinds.end()) {
    const Solution found = bloomery::solve(sizing.kind, known);
    return {found, known.false_positive_rate.value_or(found.predicted_rate)};
  }
  if (known.probe_count) refuse("such a filter has the probes that its rule says");
  if (known.capacity.has_value() + known.false_positive_rate.has_value() +
          known.bit_count.has_value() <
      2) {
    refuse("two of capacity, rate and bits are needed to find the third");
  }
  if (!known.bit_count) return sized(sizing, *known.capacity, *known.false_positive_rate);
  const std::uint64_t bits = *known.bit_count;
  const double rate = known.false_positive_rate ? *known.false_positive_rate
                                                : lowest_rate(sizing, *known.capacity, bits);
  const std::uint64_t capacity = known.capacity ? *known.capacity : most_keys(sizing, rate, bits);
  const Sized found = sized(sizing, capacity, rate);
  if (const std::uint64_t needed = stored_bits(sizing, found.geometry); needed > bits) {
    refuse(std::to_string(bits) + " bits are too few: " + std::to_string(needed) + " are needed");
  }
  return found;
}

}  // namespace bloomery::calculator
