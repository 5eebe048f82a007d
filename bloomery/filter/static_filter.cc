#include "bloomery/filter/static_filter.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string>

#include "bloomery/bits/bit_view.h"
#include "bloomery/errors.h"
#include "bloomery/filter/batch_pipeline.h"
#include "bloomery/filter/blocked_shape.h"
#include "bloomery/filter/native_probes.h"
#include "bloomery/filter/options.h"
#include "bloomery/filter/rates.h"
#include "bloomery/filter/sizing.h"
#include "bloomery/hash/xxh3.h"

namespace bloomery {
namespace {

constexpr std::size_t kTrailerBytes = 8;
constexpr std::size_t kChecksumBytes = 4;
constexpr std::uint8_t kMark = 0xb1;
constexpr std::uint32_t kAttempts = 16;
constexpr std::size_t kLag = 24;             // as in ClassicLayout: a key asks for several lines
constexpr std::uint64_t kFewKeys = 4'096;    // whose luck varies, and attempts cost little
constexpr std::uint64_t kVeryFewKeys = 256;  // for which less than the mean size is tried, too

HashPair moved_by(HashPair hash, std::uint32_t attempt) noexcept {
  for (; attempt > 0; --attempt) hash = second_pair(hash);
  return hash;
}

// Calls visit(position) for every probe of a pair, until it returns false.
template <class Visit>
bool for_all_positions(const Geometry& geometry, HashPair hash, Visit visit) noexcept {
  if (geometry.lines_per_key == 0) {
    for (std::uint32_t i = 0; i < geometry.probe_count; ++i) {
      if (!visit(NativeProbes::position(hash, i, geometry.bit_count))) return false;
    }
    return true;
  }
  return all_positions(BlockedShape::of(geometry), hash, visit);
}

std::vector<HashPair> hash_all(KeyBatch keys) {
  const NativeHash hash;
  std::vector<HashPair> hashes;
  hashes.reserve(keys.size());
  keys.visit([&](auto each) {
    for (const auto& key : each) hashes.push_back(hash(key));
  });
  // A key that stands twice in the set is one key.
  const auto order = [](const HashPair& pair) { return std::pair(pair.h1, pair.h2); };
  std::ranges::sort(hashes, {}, order);
  hashes.erase(std::unique(hashes.begin(), hashes.end()), hashes.end());
  return hashes;
}

// The size by the mean rate, without what sizing.h adds for bad luck.
Geometry mean_geometry(const FilterOptions& options, bool one_line) {
  const auto keys = static_cast<double>(options.capacity);
  Geometry geometry;
  if (one_line) {
    geometry = geometry_with_probes(8, 1, options);
    for (std::uint32_t probes = 1; probes < 8; ++probes) {
      const Geometry other = geometry_with_probes(probes, 1, options);
      if (other.bit_count < geometry.bit_count) geometry = other;
    }
  } else {
    geometry = classic_geometry(options);
  }
  const std::uint64_t unit = one_line ? kLineBits : 8;
  std::uint64_t low = 0;  // units that are too few
  std::uint64_t high = geometry.bit_count / unit;
  while (high - low > 1) {
    const std::uint64_t middle = low + (high - low) / 2;
    geometry.bit_count = middle * unit;
    (predicted_rate(geometry, keys) <= options.false_positive_rate ? high : low) = middle;
  }
  geometry.bit_count = high * unit;
  return geometry;
}

std::vector<std::uint64_t> words_of(const Geometry& geometry, std::uint32_t attempt,
                                    std::span<const HashPair> hashes) {
  std::vector<std::uint64_t> words((geometry.bit_count + kWordBits - 1) / kWordBits);
  for (const HashPair hash : hashes) {
    for_all_positions(geometry, moved_by(hash, attempt), [&](std::uint64_t position) {
      set_bit(words, position);
      return true;
    });
  }
  return words;
}

std::uint32_t checksum_of(std::span<const std::byte> bytes) noexcept {
  return static_cast<std::uint32_t>(xxh3_64(bytes));
}

std::vector<std::byte> encode(const Geometry& geometry, std::uint32_t attempt,
                              std::span<const std::uint64_t> words) {
  const std::size_t bit_bytes = geometry.bit_count / 8;
  std::vector<std::byte> bytes(bit_bytes + kTrailerBytes);
  if (bit_bytes > 0) std::memcpy(bytes.data(), words.data(), bit_bytes);
  std::byte* const trailer = bytes.data() + bit_bytes;
  trailer[0] = std::byte{kMark};
  trailer[1] = static_cast<std::byte>(geometry.probe_count);
  trailer[2] = static_cast<std::byte>(geometry.lines_per_key);
  trailer[3] = static_cast<std::byte>(attempt);
  const std::uint32_t checksum = checksum_of(std::span(bytes).first(bytes.size() - kChecksumBytes));
  std::memcpy(trailer + 4, &checksum, sizeof checksum);
  return bytes;
}

}  // namespace

std::vector<std::byte> build_static_filter(KeyBatch keys, const StaticOptions& options) {
  if (options.unit_bytes != 1 && options.unit_bytes != 8) {
    throw std::invalid_argument("a static filter's unit is 1 or 8 bytes, not " +
                                std::to_string(options.unit_bytes));
  }
  validate({.capacity = 1, .false_positive_rate = options.false_positive_rate});
  const std::vector<HashPair> hashes = hash_all(keys);
  if (hashes.empty()) return encode({}, 0, {});
  const FilterOptions wanted{.capacity = hashes.size(),
                             .false_positive_rate = options.false_positive_rate};
  Geometry geometry = mean_geometry(wanted, options.one_line);
  const std::uint64_t unit = options.one_line ? kLineBits : 8 * options.unit_bytes;
  const std::uint64_t least =
      hashes.size() <= kVeryFewKeys ? geometry.bit_count * 9 / 10 : geometry.bit_count;
  const std::uint32_t attempts = hashes.size() <= kFewKeys ? kAttempts : 2;
  const std::uint64_t step = std::max<std::uint64_t>(1, geometry.bit_count / 256 / unit) * unit;
  for (geometry.bit_count = std::max<std::uint64_t>(1, least / unit) * unit;;
       geometry.bit_count += step) {
    for (std::uint32_t attempt = 0; attempt < attempts; ++attempt) {
      const auto words = words_of(geometry, attempt, hashes);
      if (current_rate(geometry, BitView(words)) <= options.false_positive_rate) {
        return encode(geometry, attempt, words);
      }
    }
  }
}

StaticFilter::StaticFilter(std::span<const std::byte> bytes, const NativeHash& hash)
    : bytes_(bytes), hash_(hash) {
  const auto require = [](bool right, const std::string& what) {
    if (!right) throw FormatError("not a static filter: " + what);
  };
  require(bytes.size() >= kTrailerBytes,
          std::to_string(bytes.size()) + " bytes, where the trailer alone has 8");
  const std::size_t bit_bytes = bytes.size() - kTrailerBytes;
  const auto field = [&](std::size_t i) {
    return std::to_integer<std::uint32_t>(bytes[bit_bytes + i]);
  };
  require(field(0) == kMark, "no mark in the eighth byte from the end");
  geometry_ = {.bit_count = 8 * static_cast<std::uint64_t>(bit_bytes),
               .probe_count = field(1),
               .lines_per_key = field(2)};
  attempt_ = field(3);
  require(attempt_ < kAttempts, "attempt " + std::to_string(attempt_) + " (0 to 15)");
  require((geometry_.probe_count == 0) == (bit_bytes == 0), "probes without bits, or bits without");
  if (geometry_.lines_per_key != 0) {
    require(geometry_.lines_per_key == 1 && geometry_.probe_count <= kLaneCount &&
                geometry_.bit_count % kLineBits == 0,
            "impossible lines: " + std::to_string(geometry_.lines_per_key) + " lines a key, " +
                std::to_string(geometry_.probe_count) + " probes, " + std::to_string(bit_bytes) +
                " bytes");
  }
}

HashPair StaticFilter::moved(HashPair hash) const noexcept {
  return moved_by(hash, attempt_);
}

bool StaticFilter::may_contain_moved(HashPair hash) const noexcept {
  return geometry_.bit_count != 0 &&
         for_all_positions(geometry_, hash, [&](std::uint64_t position) { return test(position); });
}

bool StaticFilter::may_contain_hash(HashPair hash) const noexcept {
  return may_contain_moved(moved(hash));
}

void StaticFilter::may_contain_many(KeyBatch batch, Answers found) const noexcept {
  const bool far = bytes_.size() >= kFarBytes;
  found.fill(batch.size(), [&](std::size_t first, std::size_t count, bool* flags) {
    batch.subbatch(first, count).visit([&](auto keys) {
      const auto hasher =
          hash_each_key(keys, [this](const auto& key) { return moved(hash_(key)); });
      const auto prefetch = [&](HashPair hash) {
        for_all_positions(geometry_, hash, [&](std::uint64_t position) {
          prefetch_far(&bytes_[position / 8]);
          // One line is all that such a key has.
          return geometry_.lines_per_key == 0;
        });
      };
      const auto probe = [&](std::size_t i, HashPair hash) { flags[i] = may_contain_moved(hash); };
      run_pipeline<kLag>(far, keys.size(), hasher, prefetch, probe);
    });
  });
}

bool StaticFilter::verify() const noexcept {
  std::uint32_t stored;
  std::memcpy(&stored, bytes_.data() + bytes_.size() - sizeof stored, sizeof stored);
  return stored == checksum_of(bytes_.first(bytes_.size() - kChecksumBytes));
}

std::vector<std::uint64_t> StaticFilter::words() const {
  std::vector<std::uint64_t> words((geometry_.bit_count + kWordBits - 1) / kWordBits);
  if (!words.empty()) std::memcpy(words.data(), bytes_.data(), geometry_.bit_count / 8);
  return words;
}

double StaticFilter::fill_ratio() const {
  if (geometry_.bit_count == 0) return 0;
  return static_cast<double>(BitView(words()).count_ones()) /
         static_cast<double>(geometry_.bit_count);
}

double StaticFilter::cardinality() const {
  if (geometry_.bit_count == 0) return 0;
  return estimate_cardinality(geometry_, BitView(words()).count_ones());
}

double StaticFilter::predicted_rate() const {
  if (geometry_.bit_count == 0) return 0;
  return current_rate(geometry_, BitView(words()));
}

std::vector<std::uint64_t> StaticFilter::positions(HashPair hash) const {
  std::vector<std::uint64_t> all;
  if (geometry_.bit_count == 0) return all;
  for_all_positions(geometry_, moved(hash), [&](std::uint64_t position) {
    all.push_back(position);
    return true;
  });
  return all;
}

}  // namespace bloomery
