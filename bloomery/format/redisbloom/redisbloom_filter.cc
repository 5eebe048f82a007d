// SPDX-License-Identifier: Apache-2.0
#include "bloomery/format/redisbloom/redisbloom_filter.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdio>
#include <limits>
#include <stdexcept>
#include <utility>

#include "bloomery/errors.h"
#include "bloomery/filter/make_kind.h"

namespace bloomery {

template class GrowingFilter<ClassicLayout<redisbloom::Probes>,
                             redisbloom::LinkGrowth<FilterKind::redisbloom>>;
template class GrowingFilter<ClassicLayout<redisbloom::Probes32>,
                             redisbloom::LinkGrowth<FilterKind::redisbloom_32>>;

namespace redisbloom {

constinit const Kind kKind = chain_kind<Filter>({"redisbloom", "MurmurHash64A"});
constinit const Kind kKind32 = chain_kind<Filter32>({"redisbloom-32", "MurmurHash2"});

namespace {

constexpr double kTightening = 0.5;
constexpr double kLnTwoSquared = 0.480453013918201;
constexpr double kLnTwo = 0.693147180559945;
constexpr std::uint64_t kMostBits = std::uint64_t{1} << 60;
constexpr std::uint64_t kMost32BitBits = std::uint64_t{1} << 31;

[[noreturn]] void refuse(const std::string& what) {
  throw std::invalid_argument(what);
}

std::string text(double number) {
  std::array<char, 32> digits;
  const int count = std::snprintf(digits.data(), digits.size(), "%g", number);
  return {digits.data(), static_cast<std::size_t>(count)};
}
std::string text(std::uint64_t number) {
  return std::to_string(number);
}

bool is_rate(double rate) noexcept {
  return rate > 0 && rate < 1;
}

double probe_count_of(double bits_a_key) noexcept {
  return std::ceil(kLnTwo * bits_a_key);
}

bool sizes_are_powers(std::uint32_t options) noexcept {
  return (options & kNoRounding) == 0;
}

// The first link's share of the rate that was asked for.
double first_share(std::uint32_t options) noexcept {
  return (options & kNoScaling) != 0 || sizes_are_powers(options) ? 1 : kTightening;
}

// The next link's share of the rate of the newest of `links`.
double next_share(std::uint32_t options, std::size_t links) noexcept {
  return sizes_are_powers(options) ? std::pow(kTightening, static_cast<double>(links + 1))
                                   : kTightening;
}

double asked_rate(std::uint32_t options, double first_rate) noexcept {
  return std::min(first_rate / first_share(options), std::nextafter(1.0, 0.0));
}

// Bits and capacity of a link for `keys` keys.
void size_link(std::uint32_t options, double keys, Layer& link) {
  const double bits_a_key = bits_per_key(link.false_positive_rate);
  const double bits = keys * bits_a_key;
  if (!(bits < static_cast<double>(kMostBits) / 2)) {
    refuse("redisbloom: a link for " + std::to_string(link.capacity) +
           " keys would need more than 2^59 bits");
  }
  if (!sizes_are_powers(options)) {
    const auto whole = std::max(std::uint64_t{1}, static_cast<std::uint64_t>(bits));
    link.geometry.bit_count = (whole + kWordBits - 1) / kWordBits * kWordBits;
    return;
  }
  const int exponent = std::max(1, static_cast<int>(std::logb(bits)) + 1);
  link.geometry.bit_count = std::uint64_t{1} << exponent;
  const double left = std::floor(static_cast<double>(link.geometry.bit_count) - bits);
  link.capacity += static_cast<std::uint64_t>(left / bits_a_key);
}

}  // namespace

double bits_per_key(double rate) noexcept {
  return std::abs(std::log(rate) / kLnTwoSquared);
}

std::uint32_t power_of_two(std::uint32_t options, std::uint64_t bit_count) noexcept {
  if (!sizes_are_powers(options) || !std::has_single_bit(bit_count)) return 0;
  return static_cast<std::uint32_t>(std::countr_zero(bit_count));
}

Layer next_link(const FilterParameters& parameters, std::span<const Layer> links) {
  const std::uint32_t options = parameters.foreign_options;
  Layer next;
  if (links.empty()) {
    next.capacity = parameters.capacity;
    next.false_positive_rate = parameters.false_positive_rate * first_share(options);
  } else {
    const Layer& newest = links.back();
    const auto expansion = static_cast<std::uint64_t>(parameters.growth.expansion);
    if (expansion == 0 || newest.capacity > std::numeric_limits<std::uint64_t>::max() / expansion) {
      refuse("redisbloom: no link follows one for " + std::to_string(newest.capacity) +
             " keys with an expansion of " + std::to_string(expansion));
    }
    next.capacity = newest.capacity * expansion;
    next.false_positive_rate = newest.false_positive_rate * next_share(options, links.size());
  }
  if (next.capacity == 0) refuse("redisbloom: a capacity of 0; at least 1");
  if (!is_rate(next.false_positive_rate)) {
    refuse("redisbloom: a rate of " + text(next.false_positive_rate) +
           " for a link; it must be above 0 and below 1");
  }
  const double probes = probe_count_of(bits_per_key(next.false_positive_rate));
  if (!(probes >= 1 && probes <= kMostProbes)) {
    refuse("redisbloom: the rate of the next link needs more than 1078 probes");
  }
  next.geometry.probe_count = static_cast<std::uint32_t>(probes);
  size_link(options, static_cast<double>(next.capacity), next);
  if ((options & kForce64) == 0 && next.geometry.bit_count > kMost32BitBits) {
    refuse("redisbloom: a filter with the 32-bit hash has links of at most 2^31 bits");
  }
  return next;
}

void check_chain(const FilterContents& contents) {
  const auto require = [](bool right, const std::string& what) {
    if (!right) throw FormatError("impossible chain of a RedisBloom filter: " + what);
  };
  const FilterParameters& parameters = contents.parameters;
  const double expansion = parameters.growth.expansion;
  const std::uint32_t options = parameters.foreign_options;
  require((options & ~(kKnownOptions | kByteNotes)) == 0,
          "options " + std::to_string(options) + ", of which not all are known");
  require(expansion >= 0 && expansion <= std::numeric_limits<std::uint32_t>::max() &&
              std::trunc(expansion) == expansion && parameters.growth.tightening == kTightening,
          "an expansion of " + text(expansion) + " (a whole number of 32 bits)");
  require(
      !contents.layers.empty() && contents.layers.size() <= kMostLinks,
      std::to_string(contents.layers.size()) + " links (1 to " + std::to_string(kMostLinks) + ")");
  StoredChain stored{.size = contents.inserted,
                     .options = options & kKnownOptions,
                     .growth = static_cast<std::uint64_t>(expansion)};
  for (const Layer& link : contents.layers) {
    require(link.geometry.lines_per_key == 0 && link.geometry.bit_count > 0, "a link of no bits");
    stored.links.push_back(stored_link(options, link));
    stored.links.back().hashes = link.geometry.probe_count;
  }
  FilterContents accepted;
  try {
    accepted = accept_chain(stored);
  } catch (const std::invalid_argument& error) {
    require(false, error.what());
  }
  const FilterParameters& right = accepted.parameters;
  require(right.kind == parameters.kind, "its hash is not that of its kind");
  require(right.geometry == parameters.geometry && right.capacity == parameters.capacity &&
              right.false_positive_rate == parameters.false_positive_rate,
          "its first link is not the one it was made with");
}

FilterParameters chain_parameters(FilterKind kind, const FilterOptions& options) {
  return reserve_parameters(
      {.capacity = options.capacity,
       .error_rate = options.false_positive_rate,
       .generation = kind == FilterKind::redisbloom_32 ? Generation::v1_1 : Generation::current});
}

Geometry first_geometry(FilterKind kind, const FilterOptions& options) {
  return next_link(chain_parameters(kind, options), {}).geometry;
}

FilterParameters reserve_parameters(const ReserveOptions& options) {
  if (!is_rate(options.error_rate)) {
    refuse("redisbloom: a rate of " + text(options.error_rate) +
           "; it must be above 0 and below 1");
  }
  FilterParameters parameters;
  parameters.capacity = options.capacity;
  parameters.false_positive_rate = options.error_rate;
  parameters.growth = {static_cast<double>(options.expansion), kTightening};
  std::uint32_t& word = parameters.foreign_options;
  if (options.nonscaling || options.expansion == 0) word |= kNoScaling;
  switch (options.generation) {
    case Generation::current:
      word |= kForce64 | kNoRounding;
      break;
    case Generation::v2_0:
      word |= kForce64 | kZeroBits;
      break;
    case Generation::v1_1:
      word |= kZeroBits;
      break;
  }
  parameters.kind = (word & kForce64) != 0 ? FilterKind::redisbloom : FilterKind::redisbloom_32;
  return parameters;
}

AnyFilter reserve(const ReserveOptions& options) {
  const FilterParameters parameters = reserve_parameters(options);
  return (parameters.kind == kKind32.number ? kKind32 : kKind).make(parameters);
}

AnyFilter open_chain(const FilterContents& contents, std::span<const SharedWords> words) {
  if (contents.parameters.kind == kKind32.number) return AnyFilter(Filter32(contents, words));
  return AnyFilter(Filter(contents, words));
}

std::uint64_t link_bytes(const Layer& link) noexcept {
  return (link.geometry.bit_count + 7) / 8;
}

std::uint64_t memory_bytes(std::span<const Layer> links) noexcept {
  constexpr std::uint64_t kChainBytes = 32;
  constexpr std::uint64_t kLinkBytes = 64;
  std::uint64_t bytes = kChainBytes;
  for (const Layer& each : links) bytes += kLinkBytes + link_bytes(each);
  return bytes;
}

Layer accept_link(std::uint64_t options, const StoredLink& link) {
  const auto require = [](bool right, const char* field, auto value, const std::string& allowed) {
    if (!right) refuse(std::string(field) + " " + text(value) + ", where " + allowed);
  };
  require(is_rate(link.error), "error", link.error, "it is above 0 and below 1");
  require(link.entries > 0, "entries", link.entries, "they are at least 1");
  require(std::isfinite(link.bits_per_key) && link.bits_per_key > 0, "bits per entry",
          link.bits_per_key, "they are above 0");
  const double probes = probe_count_of(link.bits_per_key);
  require(probes >= 1 && probes <= kMostProbes && static_cast<double>(link.hashes) == probes,
          "hashes", link.hashes,
          "bits per entry make " + text(probes) + ", and there are 1 to 1078");
  require(link.n2 <= 59, "n2", link.n2, "it is at most 59");
  require(link.n2 == 0 || (options & kNoRounding) == 0, "n2", link.n2,
          "the options say that sizes are no powers of two");
  const std::uint64_t power = std::uint64_t{1} << link.n2;
  require(
      link.n2 == 0 ? link.bits > 0 && link.bits <= kMostBits : link.bits == 0 || link.bits == power,
      "bits", link.bits, link.n2 == 0 ? "there are 1 to 2^60" : "they are 2^n2 or, of old, 0");
  const std::uint64_t bits = link.n2 == 0 ? link.bits : power;
  require(link.bytes == (bits + 7) / 8, "bytes", link.bytes,
          std::to_string(bits) + " bits take " + std::to_string((bits + 7) / 8));
  return {.geometry = {.bit_count = bits, .probe_count = static_cast<std::uint32_t>(link.hashes)},
          .capacity = link.entries,
          .false_positive_rate = link.error,
          .inserted = link.size};
}

FilterContents accept_chain(const StoredChain& chain) {
  if ((chain.options & ~std::uint64_t{kKnownOptions}) != 0) {
    refuse("options " + std::to_string(chain.options) + ", where 1, 2, 4 and 8 are known");
  }
  if (chain.growth > std::numeric_limits<std::uint32_t>::max()) {
    refuse("growth " + std::to_string(chain.growth) + ", where it has 32 bits");
  }
  if (chain.links.empty() || chain.links.size() > kMostLinks) {
    refuse(std::to_string(chain.links.size()) + " links, where there are 1 to " +
           std::to_string(kMostLinks));
  }
  FilterContents contents;
  FilterParameters& parameters = contents.parameters;
  std::uint32_t& options = parameters.foreign_options;
  options = static_cast<std::uint32_t>(chain.options);
  const bool has_32_bits = (options & kForce64) == 0;
  for (std::size_t i = 0; i < chain.links.size(); ++i) {
    const StoredLink& stored = chain.links[i];
    try {
      contents.layers.push_back(accept_link(chain.options, stored));
    } catch (const std::invalid_argument& error) {
      refuse("link " + std::to_string(i) + ": " + error.what());
    }
    if (stored.n2 > 0 && stored.bits == 0) options |= kZeroBits;
    if (has_32_bits && contents.layers.back().geometry.bit_count > kMost32BitBits) {
      refuse(
          "link " + std::to_string(i) +
          ": more than 2^31 bits under the 32-bit hash, where servers disagree about the probes");
    }
    if (stored.size > chain.size - contents.inserted) {
      refuse("link " + std::to_string(i) + ": size " + std::to_string(stored.size) +
             ", where the chain has " + std::to_string(chain.size) + " in all");
    }
    contents.inserted += stored.size;
  }
  if (contents.inserted != chain.size) {
    refuse("size " + std::to_string(chain.size) + ", where the links have " +
           std::to_string(contents.inserted) + " in all");
  }
  const Layer& first = contents.layers.front();
  parameters.kind = has_32_bits ? FilterKind::redisbloom_32 : FilterKind::redisbloom;
  parameters.geometry = first.geometry;
  parameters.capacity = first.capacity;
  parameters.false_positive_rate = asked_rate(options, first.false_positive_rate);
  parameters.growth = {static_cast<double>(chain.growth), kTightening};
  return contents;
}

StoredLink stored_link(std::uint32_t options, const Layer& link) noexcept {
  const std::uint32_t n2 = power_of_two(options, link.geometry.bit_count);
  const std::uint32_t hashes = link.geometry.probe_count;
  double bits_a_key = bits_per_key(link.false_positive_rate);
  if (probe_count_of(bits_a_key) != hashes) bits_a_key = (hashes - 0.5) / kLnTwo;
  return {.bytes = link_bytes(link),
          .bits = n2 > 0 && (options & kZeroBits) != 0 ? 0 : link.geometry.bit_count,
          .size = link.inserted,
          .error = link.false_positive_rate,
          .bits_per_key = bits_a_key,
          .hashes = hashes,
          .entries = link.capacity,
          .n2 = n2};
}

}  // namespace redisbloom
}  // namespace bloomery
