// SPDX-License-Identifier: Apache-2.0
#include "bloomery/format/redisbloom/redisbloom_cuckoo.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <string>
#include <utility>

#include "bloomery/filter/batch_pipeline.h"

namespace bloomery::redisbloom {
namespace {

constexpr std::uint64_t kMostBuckets = std::uint64_t{1} << 55;
constexpr std::uint64_t kMost32BitBuckets = std::uint64_t{1} << 32;
constexpr std::uint64_t kMostSlotBytes = std::uint64_t{1} << 60;

// A step through a sub-filter beyond a core's cache waits for memory.
constexpr std::uint64_t kFarStep = 8;

// Slots that an erase may visit in order to compact: a fraction of a second at the worst.
constexpr std::uint64_t kMostOwnVisits = std::uint64_t{1} << 25;

constexpr std::uint64_t kStructBytes = 40;
constexpr std::uint64_t kSubFilterBytes = 16;

void require(bool right, const char* field, std::uint64_t value, const char* allowed) {
  if (right) return;
  throw std::invalid_argument(std::string(field) + " " + std::to_string(value) + ", where " +
                              allowed);
}

std::uint64_t buckets_of(const CuckooShape& shape, std::uint64_t i) noexcept {
  if (i == 0) return shape.bucket_count;
  return shape.bucket_count << (static_cast<unsigned>(std::countr_zero(shape.expansion)) * i);
}

// Returns whether sub-filter i can be at all, whose predecessor is.
bool is_possible(const CuckooShape& shape, std::uint64_t i) noexcept {
  const std::uint64_t most = shape.hash == CuckooHash::murmur_32 ? kMost32BitBuckets : kMostBuckets;
  if (i == 0) return shape.bucket_count <= most;
  return shape.expansion != 0 && buckets_of(shape, i - 1) <= most / shape.expansion;
}

HeapWords words_of(std::uint64_t byte_count) {
  return HeapWords((byte_count + sizeof(std::uint64_t) - 1) / sizeof(std::uint64_t));
}

}  // namespace

CuckooShape cuckoo_shape(const CuckooOptions& options) {
  require(options.bucket_size >= 1 && options.bucket_size <= kMostSlotsPerBucket, "bucket size",
          options.bucket_size, "it is 1 to 255");
  require(options.capacity >= 2 * options.bucket_size && options.capacity <= kMostSlotBytes,
          "capacity", options.capacity, "there are at least two buckets' slots, and at most 2^60");
  require(options.expansion <= kMostCuckooExpansion, "expansion", options.expansion,
          "it is at most 32768");
  CuckooShape shape;
  shape.bucket_count = std::bit_ceil(options.capacity / options.bucket_size);
  shape.bucket_size = options.bucket_size;
  shape.max_iterations = options.max_iterations;
  shape.expansion = options.expansion == 0 ? 0 : std::bit_ceil(options.expansion);
  check_cuckoo(shape);
  return shape;
}

void check_cuckoo(const CuckooShape& shape) {
  require(shape.bucket_size >= 1 && shape.bucket_size <= kMostSlotsPerBucket, "bucket size",
          shape.bucket_size, "it is 1 to 255");
  require(shape.max_iterations >= 1 && shape.max_iterations <= kMostKicks, "iterations",
          shape.max_iterations, "they are 1 to 65535");
  require(shape.expansion == 0 ||
              (std::has_single_bit(shape.expansion) && shape.expansion <= kMostCuckooExpansion),
          "expansion", shape.expansion, "it is 0 or a power of two up to 32768");
  require(shape.sub_filters >= 1 && shape.sub_filters <= kMostSubFilters &&
              (shape.expansion != 0 || shape.sub_filters == 1),
          "sub-filters", shape.sub_filters, "there are 1 to 65535, and 1 where expansion is 0");
  require(std::has_single_bit(shape.bucket_count), "buckets", shape.bucket_count,
          "their number is a power of two");
  std::uint64_t bytes = 0;  // of at most 65535 terms of less than 2^63: checked at each
  for (std::uint64_t i = 0; i < shape.sub_filters; ++i) {
    require(is_possible(shape, i), "buckets", shape.bucket_count,
            "no sub-filter has more than 2^55, or 2^32 of the old hash");
    bytes += sub_filter_bytes(shape, i);
    require(bytes <= kMostSlotBytes, "buckets", shape.bucket_count,
            "all sub-filters have at most 2^60 slots");
  }
}

std::uint64_t sub_filter_bytes(const CuckooShape& shape, std::uint64_t i) noexcept {
  return buckets_of(shape, i) * shape.bucket_size;
}

std::uint64_t slot_bytes(const CuckooShape& shape) noexcept {
  std::uint64_t bytes = 0;
  for (std::uint64_t i = 0; i < shape.sub_filters; ++i) bytes += sub_filter_bytes(shape, i);
  return bytes;
}

std::uint64_t memory_bytes(const CuckooShape& shape) noexcept {
  return kStructBytes + kSubFilterBytes * shape.sub_filters + slot_bytes(shape);
}

CuckooFilter::CuckooFilter(const CuckooShape& shape) : shape_(shape) {
  for (std::uint64_t i = 0; i < shape.sub_filters; ++i) {
    add_sub_filter(words_of(sub_filter_bytes(shape, i)));
  }
}

CuckooFilter::CuckooFilter(const CuckooShape& shape, std::vector<HeapWords> slots) : shape_(shape) {
  for (HeapWords& each : slots) add_sub_filter(std::move(each));
}

CuckooFilter CuckooFilter::clone() const {
  std::vector<HeapWords> copies;
  for (const SubFilter& sub : subs_) copies.push_back(sub.words.clone());
  return {shape_, std::move(copies)};
}

void CuckooFilter::add_sub_filter(HeapWords words) {
  SubFilter sub{std::move(words), buckets_of(shape_, subs_.size()) - 1, nullptr};
  sub.slots = reinterpret_cast<std::uint8_t*>(sub.words.words().data());
  subs_.push_back(std::move(sub));
}

bool CuckooFilter::grow(std::uint64_t most_sub_filters) noexcept {
  if (shape_.sub_filters >= most_sub_filters || !is_possible(shape_, shape_.sub_filters)) {
    return false;
  }
  try {
    add_sub_filter(words_of(sub_filter_bytes(shape_, shape_.sub_filters)));
  } catch (const std::exception&) {
    return false;
  }
  ++shape_.sub_filters;
  return true;
}

CuckooFilter::Place CuckooFilter::place_of(std::uint64_t hash) const noexcept {
  const std::uint8_t fingerprint = fingerprint_of(shape_.hash, hash);
  return {hash, other_bucket(hash, fingerprint), fingerprint};
}

std::uint8_t* CuckooFilter::bucket(const SubFilter& sub, std::uint64_t hash) const noexcept {
  return sub.slots + (hash & sub.mask) * shape_.bucket_size;
}

std::uint8_t* CuckooFilter::find(std::uint8_t* bucket, std::uint8_t fingerprint) const noexcept {
  constexpr std::uint64_t kFew = 8;
  if (shape_.bucket_size > kFew) {
    return static_cast<std::uint8_t*>(std::memchr(bucket, fingerprint, shape_.bucket_size));
  }
  for (std::uint64_t i = 0; i < shape_.bucket_size; ++i) {
    if (bucket[i] == fingerprint) return bucket + i;
  }
  return nullptr;
}

std::uint8_t* CuckooFilter::find(const SubFilter& sub, const Place& place,
                                 std::uint8_t wanted) const noexcept {
  std::uint8_t* const slot = find(bucket(sub, place.bucket), wanted);
  return slot != nullptr ? slot : find(bucket(sub, place.other), wanted);
}

bool CuckooFilter::has(const Place& place) const noexcept {
  return std::ranges::any_of(
      subs_, [&](const SubFilter& sub) { return find(sub, place, place.fingerprint) != nullptr; });
}

CuckooInsert CuckooFilter::insert(Key key, CuckooWork& work) noexcept {
  return insert_hash(cuckoo_hash(shape_.hash, key), false, work);
}

CuckooInsert CuckooFilter::insert_new(Key key, CuckooWork& work) noexcept {
  return insert_hash(cuckoo_hash(shape_.hash, key), true, work);
}

CuckooInsert CuckooFilter::insert_hash(std::uint64_t hash, bool only_new,
                                       CuckooWork& work) noexcept {
  const Place place = place_of(hash);
  if (only_new && has(place)) return CuckooInsert::present;
  const auto put = [&](const SubFilter& sub) {
    std::uint8_t* const slot = find(sub, place, 0);
    if (slot != nullptr) *slot = place.fingerprint;
    return slot != nullptr;
  };
  if (!std::any_of(subs_.rbegin(), subs_.rend(), put)) {
    const std::uint64_t most_steps = 2 * shape_.max_iterations * (is_far() ? kFarStep : 1);
    if (work.steps < most_steps) return CuckooInsert::full;
    if (!kick(place, work)) {
      if (shape_.expansion == 0) return CuckooInsert::full;
      if (!grow(work.most_sub_filters)) return CuckooInsert::no_memory;
      put(subs_.back());
    }
  }
  ++shape_.items;
  return CuckooInsert::added;
}

// Slot 0, 1, 2, ... of one bucket after the other gives way, and goes to its other bucket. If none
// finds a free slot, everything goes back the way it came.
bool CuckooFilter::kick(const Place& place, CuckooWork& work) noexcept {
  const SubFilter& sub = subs_.back();
  const std::uint64_t step = is_far() ? kFarStep : 1;
  std::uint8_t fingerprint = place.fingerprint;
  std::uint64_t at = place.bucket & sub.mask;
  std::uint64_t victim = 0;
  for (std::uint64_t i = 0; i < shape_.max_iterations; ++i) {
    work.steps -= step;
    std::swap(bucket(sub, at)[victim], fingerprint);
    at = other_bucket(at, fingerprint) & sub.mask;
    if (std::uint8_t* const free = find(bucket(sub, at), 0); free != nullptr) {
      *free = fingerprint;
      return true;
    }
    if (++victim == shape_.bucket_size) victim = 0;
  }
  for (std::uint64_t i = 0; i < shape_.max_iterations; ++i) {
    work.steps -= step;
    victim = (victim == 0 ? shape_.bucket_size : victim) - 1;
    at = other_bucket(at, fingerprint) & sub.mask;
    std::swap(bucket(sub, at)[victim], fingerprint);
  }
  return false;
}

bool CuckooFilter::is_far() const noexcept {
  return sub_filter_bytes(shape_, shape_.sub_filters - 1) >= kFarBytes;
}

void CuckooFilter::ask_for(const SubFilter& sub, std::uint64_t hash) const noexcept {
  const Place place = place_of(hash);
  prefetch_far(bucket(sub, place.bucket));
  prefetch_far(bucket(sub, place.other));
}

void CuckooFilter::insert_many(std::span<const Key> keys, bool only_new, CuckooInsert* became,
                               CuckooWork& work) noexcept {
  run_pipeline(
      is_far(), keys.size(),
      hash_each_key(keys,
                    [&](Key key) {
                      return HashPair{cuckoo_hash(shape_.hash, key), 0};
                    }),
      [&](HashPair hash) { ask_for(subs_.back(), hash.h1); },
      [&](std::size_t i, HashPair hash) { became[i] = insert_hash(hash.h1, only_new, work); });
}

bool CuckooFilter::may_contain(Key key) const noexcept {
  return has(place_of(cuckoo_hash(shape_.hash, key)));
}

void CuckooFilter::may_contain_many(std::span<const Key> keys, bool* found) const noexcept {
  constexpr std::size_t kMostAsked = 4;  // of more, too much would be under way
  const auto asked = std::span(subs_).first(std::min(subs_.size(), kMostAsked));
  run_pipeline(
      slot_bytes(shape_) >= kFarBytes, keys.size(),
      hash_each_key(keys,
                    [&](Key key) {
                      return HashPair{cuckoo_hash(shape_.hash, key), 0};
                    }),
      [&](HashPair hash) {
        for (const SubFilter& sub : asked) ask_for(sub, hash.h1);
      },
      [&](std::size_t i, HashPair hash) { found[i] = has(place_of(hash.h1)); });
}

std::uint64_t CuckooFilter::count(Key key) const noexcept {
  const Place place = place_of(cuckoo_hash(shape_.hash, key));
  std::uint64_t sum = 0;
  for (const SubFilter& sub : subs_) {
    for (const std::uint64_t each : {place.bucket, place.other}) {
      const std::uint8_t* const first = bucket(sub, each);
      sum += static_cast<std::uint64_t>(
          std::count(first, first + shape_.bucket_size, place.fingerprint));
    }
  }
  return sum;
}

bool CuckooFilter::erase(Key key) noexcept {
  const Place place = place_of(cuckoo_hash(shape_.hash, key));
  const auto take = [&](const SubFilter& sub) {
    std::uint8_t* const slot = find(sub, place, place.fingerprint);
    if (slot != nullptr) *slot = 0;
    return slot != nullptr;
  };
  if (!std::any_of(subs_.rbegin(), subs_.rend(), take)) return false;
  if (shape_.items > 0) --shape_.items;  // stored numbers may be wrong
  ++shape_.deletes;
  const bool is_due = static_cast<double>(shape_.deletes) > static_cast<double>(shape_.items) * 0.1;
  if (subs_.size() > 1 && is_due && is_short_to_compact()) compact(false);
  return true;
}

bool CuckooFilter::is_short_to_compact() const noexcept {
  std::uint64_t visits = 0;
  for (std::uint64_t i = 1; i < shape_.sub_filters; ++i) {
    const std::uint64_t slots = sub_filter_bytes(shape_, i);
    if (slots > (kMostOwnVisits - visits) / i) return false;
    visits += slots * i;
  }
  return true;
}

bool CuckooFilter::compact() noexcept {
  return compact(true);
}

bool CuckooFilter::compact(bool goes_on) noexcept {
  bool changed = shape_.deletes != 0;
  for (std::size_t i = subs_.size() - 1; i > 0; --i) {
    const bool is_empty = empty_into_older(i, changed);
    if (is_empty && i + 1 == subs_.size()) {
      subs_.pop_back();
      --shape_.sub_filters;
      changed = true;
    }
    if (!is_empty && !goes_on) break;
  }
  shape_.deletes = 0;
  return changed;
}

// Buckets of an older sub-filter are no more, so that a slot's bucket here says its bucket there.
bool CuckooFilter::empty_into_older(std::size_t from, bool& moved) noexcept {
  const SubFilter& newer = subs_[from];
  const std::uint64_t size = (newer.mask + 1) * shape_.bucket_size;
  bool is_empty = true;
  for (std::uint64_t i = 0; i < size; ++i) {
    constexpr std::uint64_t kWordBytes = sizeof(std::uint64_t);
    if (i % kWordBytes == 0 && newer.words.words()[i / kWordBytes] == 0) {
      i += kWordBytes - 1;  // the words end with zeros
      continue;
    }
    const std::uint8_t fingerprint = newer.slots[i];
    if (fingerprint == 0) continue;
    const std::uint64_t at = i / shape_.bucket_size;
    const Place place{at, other_bucket(at, fingerprint), fingerprint};
    std::uint8_t* free = nullptr;
    for (std::size_t older = 0; older < from && free == nullptr; ++older) {
      free = find(subs_[older], place, 0);
    }
    if (free == nullptr) {
      is_empty = false;
      continue;
    }
    *free = fingerprint;
    newer.slots[i] = 0;
    moved = true;
  }
  return is_empty;
}

std::span<const std::byte> CuckooFilter::slots(std::size_t i) const noexcept {
  return {reinterpret_cast<const std::byte*>(subs_[i].slots),
          static_cast<std::size_t>(sub_filter_bytes(shape_, i))};
}

std::span<std::byte> CuckooFilter::slots(std::size_t i) noexcept {
  return {reinterpret_cast<std::byte*>(subs_[i].slots),
          static_cast<std::size_t>(sub_filter_bytes(shape_, i))};
}

}  // namespace bloomery::redisbloom
