// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "bloomery/bits/bit_view.h"
#include "bloomery/bits/heap_words.h"
#include "bloomery/filter/build_fuse.h"
#include "bloomery/filter/distinct_pairs.h"
#include "bloomery/filter/options.h"
#include "bloomery/filter/rates.h"
#include "bloomery/filter/sizing.h"
#include "bloomery/filter/static_bytes.h"
#include "bloomery/filter/static_filter.h"

namespace bloomery {
namespace {

using namespace static_bytes;

constexpr std::uint64_t kFewKeys = 4'096;    // whose luck varies, and attempts cost little
constexpr std::uint64_t kVeryFewKeys = 256;  // for which less than the mean size is tried, too

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

HeapWords words_of(const Geometry& geometry, std::uint32_t attempt,
                   std::span<const HashPair> hashes) {
  HeapWords words((geometry.bit_count + kWordBits - 1) / kWordBits);
  for (const HashPair hash : hashes) {
    for_all_positions(geometry, moved_by(hash, attempt), [&](std::uint64_t position) {
      set_bit(words.words(), position);
      return true;
    });
  }
  return words;
}

// Trailer: what stands behind the bits, but for the checksum.
struct Trailer {
  std::uint8_t mark = kBloomMark;
  std::uint32_t first = 0;   // probes, or bits of a fingerprint
  std::uint32_t second = 0;  // lines a key, or the logarithm of a segment's length
  std::uint32_t attempt = 0;
};

// `bytes` are the bits, and room for the trailer.
std::vector<std::byte> sealed(std::vector<std::byte> bytes, const Trailer& of) {
  std::byte* const trailer = bytes.data() + bytes.size() - kTrailerBytes;
  trailer[0] = std::byte{of.mark};
  trailer[1] = static_cast<std::byte>(of.first);
  trailer[2] = static_cast<std::byte>(of.second);
  trailer[3] = static_cast<std::byte>(of.attempt);
  const std::uint32_t checksum = checksum_of(std::span(bytes).first(bytes.size() - kChecksumBytes));
  std::memcpy(trailer + 4, &checksum, sizeof checksum);
  return bytes;
}

std::vector<std::byte> encode(const Geometry& geometry, std::uint32_t attempt,
                              std::span<const std::uint64_t> words) {
  const std::size_t bit_bytes = geometry.bit_count / 8;
  std::vector<std::byte> bytes(bit_bytes + kTrailerBytes);
  if (bit_bytes > 0) std::memcpy(bytes.data(), words.data(), bit_bytes);
  return sealed(
      std::move(bytes),
      {.first = geometry.probe_count, .second = geometry.lines_per_key, .attempt = attempt});
}

std::vector<std::byte> bloom_of(std::span<const HashPair> hashes, Geometry geometry,
                                const StaticOptions& options) {
  const std::uint64_t unit = options.one_line ? kLineBits : 8 * options.unit_bytes;
  const std::uint64_t least =
      hashes.size() <= kVeryFewKeys ? geometry.bit_count * 9 / 10 : geometry.bit_count;
  const std::uint32_t attempts = hashes.size() <= kFewKeys ? kAttempts : 2;
  const std::uint64_t step = std::max<std::uint64_t>(1, geometry.bit_count / 256 / unit) * unit;
  for (geometry.bit_count = std::max<std::uint64_t>(1, least / unit) * unit;;
       geometry.bit_count += step) {
    for (std::uint32_t attempt = 0; attempt < attempts; ++attempt) {
      const HeapWords words = words_of(geometry, attempt, hashes);
      if (current_rate(geometry, BitView(words.words())) <= options.false_positive_rate) {
        return encode(geometry, attempt, words.words());
      }
    }
  }
}

std::vector<std::byte> fuse_of(std::span<const HashPair> hashes, FuseShape shape,
                               std::uint64_t unit_bytes) {
  const std::uint64_t unit = 8 * unit_bytes;
  for (;; shape.segment_count += 1 + shape.segment_count / 64) {
    std::vector<HashPair> moved;
    for (std::uint32_t attempt = 0; attempt < kAttempts; ++attempt) {
      if (attempt == 1) moved.assign(hashes.begin(), hashes.end());
      for (HashPair& hash : moved) hash = second_pair(hash);
      const std::uint64_t bit_bytes = (shape.bit_count() + unit - 1) / unit * unit_bytes;
      std::vector<std::byte> bytes(static_cast<std::size_t>(bit_bytes) + kTrailerBytes);
      if (attempt == 0 ? build_fuse(shape, hashes, bytes)
                       : build_fuse(shape, DistinctPairs(moved, NativeHash()), bytes)) {
        return sealed(std::move(bytes), {.mark = kFuseMark,
                                         .first = shape.fingerprint_bits,
                                         .second = shape.segment_log,
                                         .attempt = attempt});
      }
    }
  }
}

}  // namespace

std::vector<std::byte> build_static_filter(KeyBatch keys, const StaticOptions& options) {
  return static_bytes::build(DistinctPairs(keys, NativeHash()), options);
}

static_bytes::FirstShape static_bytes::first_shape(std::uint64_t key_count,
                                                   const StaticOptions& options) {
  FirstShape first;
  if (options.form != StaticForm::bloom && !options.one_line) {
    const auto bits = fingerprint_bits_for(options.false_positive_rate);
    if (bits) first.fuse = fuse_shape_for(key_count, *bits);
  }
  if (options.form == StaticForm::fuse) {
    if (first.fuse) return first;
    throw std::invalid_argument(
        "a fuse filter has 2^32 keys at most, and a rate of at least 2^-32");
  }
  first.bloom =
      mean_geometry({.capacity = key_count, .false_positive_rate = options.false_positive_rate},
                    options.one_line);
  if (first.fuse && first.fuse->bit_count() >= first.bloom.bit_count) first.fuse.reset();
  return first;
}

std::vector<std::byte> static_bytes::build(std::span<const HashPair> hashes,
                                           const StaticOptions& options) {
  if (options.unit_bytes != 1 && options.unit_bytes != 8) {
    throw std::invalid_argument("a static filter's unit is 1 or 8 bytes, not " +
                                std::to_string(options.unit_bytes));
  }
  validate({.capacity = 1, .false_positive_rate = options.false_positive_rate});
  if (options.form == StaticForm::fuse && options.one_line) {
    throw std::invalid_argument("a fuse filter's keys have three places each, not one line");
  }
  if (hashes.empty()) {
    return sealed(std::vector<std::byte>(kTrailerBytes),
                  {.mark = options.form == StaticForm::fuse ? kFuseMark : kBloomMark});
  }
  const FirstShape first = first_shape(hashes.size(), options);
  return first.fuse ? fuse_of(hashes, *first.fuse, options.unit_bytes)
                    : bloom_of(hashes, first.bloom, options);
}

}  // namespace bloomery
