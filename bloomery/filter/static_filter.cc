// SPDX-License-Identifier: Apache-2.0
#include "bloomery/filter/static_filter.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <utility>

#include "bloomery/bits/bit_view.h"
#include "bloomery/errors.h"
#include "bloomery/filter/batch_pipeline.h"
#include "bloomery/filter/kernels/blocked_kernel.h"
#include "bloomery/filter/key_blocks.h"
#include "bloomery/filter/rates.h"
#include "bloomery/filter/static_bytes.h"

namespace bloomery {
namespace {

using namespace static_bytes;

void require(bool right, const std::string& what) {
  if (!right) throw FormatError("not a static filter: " + what);
}

}  // namespace

StaticFilter::StaticFilter(std::span<const std::byte> bytes, const NativeHash& hash)
    : bytes_(bytes), hash_(hash), kernel_(&blocked_kernel()) {
  require(bytes.size() >= kTrailerBytes,
          std::to_string(bytes.size()) + " bytes, where the trailer alone has 8");
  const std::size_t bit_bytes = bytes.size() - kTrailerBytes;
  const auto field = [&](std::size_t i) {
    return std::to_integer<std::uint32_t>(bytes[bit_bytes + i]);
  };
  geometry_.bit_count = 8 * static_cast<std::uint64_t>(bit_bytes);
  attempt_ = field(3);
  require(attempt_ < kAttempts, "attempt " + std::to_string(attempt_) + " (0 to 15)");
  require((field(1) == 0) == (bit_bytes == 0), "probes without bits, or bits without");
  is_fuse_ = field(0) == kFuseMark;
  if (is_fuse_) {
    read_fuse(field(1), field(2));
  } else {
    require(field(0) == kBloomMark, "no mark in the eighth byte from the end");
    read_bloom(field(1), field(2));
  }
}

StaticFilter::StaticFilter(std::shared_ptr<const std::vector<std::byte>> own,
                           const NativeHash& hash)
    : StaticFilter(std::span(*own), hash) {
  own_ = std::move(own);
}

StaticFilter::StaticFilter(std::vector<std::byte>&& bytes, const NativeHash& hash)
    : StaticFilter(std::make_shared<const std::vector<std::byte>>(std::move(bytes)), hash) {}

void StaticFilter::read_bloom(std::uint32_t probes, std::uint32_t lines) {
  geometry_.probe_count = probes;
  geometry_.lines_per_key = lines;
  require(
      lines == 0 || (lines == 1 && probes <= kLaneCount && geometry_.bit_count % kLineBits == 0),
      "impossible lines: " + std::to_string(lines) + " lines a key, " + std::to_string(probes) +
          " probes, " + std::to_string(geometry_.bit_count / 8) + " bytes");
}

void StaticFilter::read_fuse(std::uint32_t fingerprint_bits, std::uint32_t segment_log) {
  geometry_.probe_count = fingerprint_bits;
  if (fingerprint_bits == 0) return;
  const std::string what = "impossible segments: of 2^" + std::to_string(segment_log) +
                           " fingerprints of " + std::to_string(fingerprint_bits) + " bits in " +
                           std::to_string(geometry_.bit_count / 8) + " bytes";
  require(fingerprint_bits <= FuseShape::kMaxFingerprintBits &&
              segment_log >= FuseShape::kMinSegmentLog && segment_log <= FuseShape::kMaxSegmentLog,
          what);
  fuse_ = FuseShape::of_bits(geometry_.bit_count, fingerprint_bits, segment_log);
  require(fuse_.segment_count >= FuseShape::kArity &&
              geometry_.bit_count - fuse_.bit_count() < kWordBits,
          what);
}

HashPair StaticFilter::moved(HashPair hash) const noexcept {
  return moved_by(hash, attempt_);
}

bool StaticFilter::may_contain_moved(HashPair hash) const noexcept {
  if (geometry_.bit_count == 0) return false;
  if (is_fuse_) return fuse_.contains(bytes_.data(), hash);
  return for_all_positions(geometry_, hash, [&](std::uint64_t position) { return test(position); });
}

bool StaticFilter::may_contain_hash(HashPair hash) const noexcept {
  return may_contain_moved(moved(hash));
}

void StaticFilter::may_contain_many(KeyBatch batch, Answers found) const {
  may_contain_many(batch, found, *kernel_);
}

void StaticFilter::may_contain_many(KeyBatch batch, Answers found,
                                    const BlockedKernel& kernel) const {
  found.fill(batch.size(), [&](std::size_t first, std::size_t count, bool* flags) {
    if (geometry_.bit_count == 0) {
      std::fill_n(flags, count, false);
      return;
    }
    batch.subbatch(first, count).visit([&](auto keys) {
      is_fuse_ || geometry_.lines_per_key == 0 ? ask_scattered(kernel, keys, flags)
                                               : ask_lines(kernel, keys, flags);
    });
  });
}

template <class K>
void StaticFilter::ask_scattered(const BlockedKernel& kernel, std::span<const K> keys,
                                 bool* found) const noexcept {
  const ScatteredBytes bytes{.bytes = bytes_.data(),
                             .far = is_far(bytes_),
                             .moves = attempt_,
                             .bit_count = geometry_.bit_count,
                             .probe_count = geometry_.probe_count,
                             .fuse = fuse_};
  const KeyBlocks<K> hashed{hash_, keys};
  const ScatteredOps& ops = kernel.scattered;
  (is_fuse_ ? ops.may_contain_fuse : ops.may_contain_bits)(bytes, hashed.blocks(), found);
}

template <class K>
void StaticFilter::ask_lines(const BlockedKernel& kernel, std::span<const K> keys,
                             bool* found) const noexcept {
  const BlockedShape shape = BlockedShape::of(geometry_);
  // A kernel reads words.
  if (reinterpret_cast<std::uintptr_t>(bytes_.data()) % alignof(std::uint64_t) == 0) {
    const KeyBlocks<K> hashed{hash_, keys, attempt_};
    kernel.ops_for(shape).may_contain_batch(reinterpret_cast<const std::uint64_t*>(bytes_.data()),
                                            shape, hashed.blocks(), is_far(bytes_), found);
    return;
  }
  const auto hasher = hash_each_key(keys, [&](const K& key) { return moved(hash_(key)); });
  const auto prefetch = [&](HashPair hash) {
    prefetch_far(&bytes_[fast_range(hash.h1, shape.lines) * kLineBits / 8]);
  };
  const auto probe = [&](std::size_t i, HashPair hash) { found[i] = may_contain_moved(hash); };
  run_pipeline(is_far(bytes_), keys.size(), hasher, prefetch, probe);
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
  if (is_fuse_) {
    // Each key owns a slot, whose value is any number.
    std::uint64_t used = 0;
    for (std::size_t slot = 0; slot < fuse_.slot_count(); ++slot) {
      used += fuse_.load(bytes_.data(), slot) != 0 ? 1 : 0;
    }
    return static_cast<double>(used) / (1 - predicted_rate());
  }
  return estimate_cardinality(geometry_, BitView(words()).count_ones());
}

double StaticFilter::predicted_rate() const {
  if (geometry_.bit_count == 0) return 0;
  if (is_fuse_) return std::ldexp(1.0, -static_cast<int>(fuse_.fingerprint_bits));
  return current_rate(geometry_, BitView(words()));
}

std::vector<Probe> StaticFilter::probes(HashPair hash) const {
  std::vector<Probe> all;
  if (geometry_.bit_count == 0) return all;
  hash = moved(hash);
  if (is_fuse_) {
    const bool is_there = fuse_.contains(bytes_.data(), hash);
    for (const std::size_t slot : fuse_.slots(hash)) {
      all.push_back({0, fuse_.first_bit(slot), is_there});
    }
    return all;
  }
  for_all_positions(geometry_, hash, [&](std::uint64_t position) {
    all.push_back({0, position, test(position)});
    return true;
  });
  return all;
}

}  // namespace bloomery
