// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bloomery/bits/shared_words.h"
#include "bloomery/filter/any_filter.h"
#include "bloomery/filter/classic_layout.h"
#include "bloomery/filter/growing_filter.h"
#include "bloomery/filter/kind.h"
#include "bloomery/format/redisbloom/redisbloom_probes.h"

// The filters of RedisBloom (and rebloom, its name before): a chain of links, each a classic filter
// of its own. A key that any link has is present; others go to the newest. When that has as many
// keys as it is made for, it gets a successor for `expansion` times as many, at half the rate,
// which is one probe more. The first link has half the asked rate where the filter grows, so that
// all links together keep it.
//
//   bits a key   |ln p| / 0.480453013918201       probes   ceil(0.693147180559945 * bits a key)
//   bits         keys * bits a key, rounded down
//
// The bits of a link are rounded up to whole words (since 2.2.5) or left as they are (2.2.0). Up to
// 2.0.3 they were rounded up to the next power of two, which then holds that many more keys; the
// first link had the asked rate, and link i, from 0, 2^-(i+1) times that of the one before.
//
// RedisBloom names these things differently: entries are the capacity of a link, error its rate,
// hashes its probes, size its inserted keys. Nothing here knows a server.
namespace bloomery::redisbloom {

// Flags of a chain's options word, which FilterParameters::foreign_options holds.
inline constexpr std::uint32_t kNoRounding = 1;      // no powers of two
inline constexpr std::uint32_t kEntriesAreBits = 2;  // a link was asked for by its bits
inline constexpr std::uint32_t kForce64 = 4;         // 64-bit hash also up to 2^31 bits
inline constexpr std::uint32_t kNoScaling = 8;       // one link, which is full one day
inline constexpr std::uint32_t kKnownOptions = 15;
// Flags of ours beside them: facts about the stored bytes that nothing else tells.
inline constexpr std::uint32_t kZeroBits = 1 << 16;     // links of 2^n bits say n, and 0 for bits
inline constexpr std::uint32_t kShortHeader = 1 << 17;  // the dump's header is that before 2.2
inline constexpr std::uint32_t kByteNotes = kZeroBits | kShortHeader;

// A filter with an expansion of 1 has as many links as it took: each has half the rate of the one
// before, until the smallest number above zero, which takes 1,074 probes, or 1,078 as rounded
// there. So there are no more links either; twice as many are read, and not a million, which a
// server would have to walk for each item.
inline constexpr std::size_t kMostLinks = 2048;
inline constexpr std::uint32_t kMostProbes = 1078;

// How chains of the kind grow, and what they must be. Not scaling is growth.expansion 0, or
// kNoScaling.
Layer next_link(const FilterParameters& parameters, std::span<const Layer> links);
void check_chain(const FilterContents& contents);
FilterParameters chain_parameters(FilterKind kind, const FilterOptions& options);

template <FilterKind kind>
struct LinkGrowth {
  static constexpr FilterKind kKind = kind;
  static constexpr std::size_t kMaxLayers = kMostLinks;

  static FilterParameters parameters_for(const FilterOptions& options) {
    return chain_parameters(kind, options);
  }
  static Layer next(const FilterParameters& parameters, std::span<const Layer> links) {
    return next_link(parameters, links);
  }
  static bool grows(const FilterParameters& parameters) noexcept {
    return (parameters.foreign_options & kNoScaling) == 0;
  }
  static void check(const FilterContents& contents) { check_chain(contents); }
};

using Filter = GrowingFilter<ClassicLayout<Probes>, LinkGrowth<FilterKind::redisbloom>>;
using Filter32 = GrowingFilter<ClassicLayout<Probes32>, LinkGrowth<FilterKind::redisbloom_32>>;

extern const Kind kKind;
extern const Kind kKind32;

enum class Generation {
  current,  // since 2.2.5
  v2_0,     // 1.1.1 to 2.0.3: powers of two
  v1_1,     // up to 1.1.0: these, and the 32-bit hash
};

struct ReserveOptions {
  std::uint64_t capacity = 100;
  double error_rate = 0.01;     // above 0, below 1; the server's own cap of 0.25 is not applied
  std::uint32_t expansion = 2;  // 0: does not grow
  bool nonscaling = false;
  Generation generation = Generation::current;
};

// A new chain. Throw std::invalid_argument, before anything is allocated, for what is not allowed
// and for bits that the machine's memory cannot hold.
FilterParameters reserve_parameters(const ReserveOptions& options);
AnyFilter reserve(const ReserveOptions& options);

// A chain of links that are there already: contents that passed check_chain, and the words of each.
AnyFilter open_chain(const FilterContents& contents, std::span<const SharedWords> words);

// Links, and what they take. memory_bytes is what RedisBloom says that a filter takes.
std::uint64_t link_bytes(const Layer& link) noexcept;
std::uint64_t memory_bytes(std::span<const Layer> links) noexcept;
double bits_per_key(double rate) noexcept;
// The exponent of a link of 2^n bits, or 0 for one that is not of the generations that had these.
std::uint32_t power_of_two(std::uint32_t options, std::uint64_t bit_count) noexcept;

// A stored link's own figures, of any version of RedisBloom; not to be trusted. Its probes may be
// others than its error rate takes: bits_per_key is what they must agree with, and what is written
// of them then agrees as well, but is not the same number.
struct StoredLink {
  std::uint64_t bytes = 0;
  std::uint64_t bits = 0;
  std::uint64_t size = 0;
  double error = 0;
  double bits_per_key = 0;
  std::uint64_t hashes = 0;
  std::uint64_t entries = 0;
  std::uint64_t n2 = 0;
};
struct StoredChain {
  std::uint64_t size = 0;
  std::uint64_t options = 0;
  std::uint64_t growth = 2;
  std::vector<StoredLink> links{};
};

// Takes what is stored apart, and puts it together. Both throw std::invalid_argument where it is
// impossible, saying what and why. accept_link is for those who must know a link before they read
// its bits.
Layer accept_link(std::uint64_t options, const StoredLink& link);
FilterContents accept_chain(const StoredChain& chain);
StoredLink stored_link(std::uint32_t options, const Layer& link) noexcept;

}  // namespace bloomery::redisbloom

namespace bloomery {
extern template class GrowingFilter<ClassicLayout<redisbloom::Probes>,
                                    redisbloom::LinkGrowth<FilterKind::redisbloom>>;
extern template class GrowingFilter<ClassicLayout<redisbloom::Probes32>,
                                    redisbloom::LinkGrowth<FilterKind::redisbloom_32>>;
}  // namespace bloomery
