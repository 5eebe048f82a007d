// SPDX-License-Identifier: Apache-2.0
#include "bloomery/format/redisbloom/redisbloom_cuckoo_dump.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "bloomery/bits/byte_order.h"
#include "bloomery/errors.h"
#include "bloomery/format/byte_reader.h"
#include "bloomery/format/redisbloom/redisbloom_hash_seed.h"

namespace bloomery::redisbloom {
namespace {

constexpr std::size_t kOldCuckooHeaderBytes = 32;
constexpr std::size_t kPointerBytes = 8;
constexpr std::uint64_t kOldBucketSize = 2;

// The sub-filter of a slot of all, and where in it; the number of sub-filters where there is none.
struct CuckooPlace {
  std::uint64_t sub_filter = 0;
  std::uint64_t offset = 0;
};
CuckooPlace place_of_slot(const CuckooShape& shape, std::uint64_t offset) noexcept {
  if (shape.expansion <= 1) {  // all alike, and there may be 65,535
    const std::uint64_t bytes = sub_filter_bytes(shape, 0);
    const std::uint64_t sub_filter = std::min(offset / bytes, shape.sub_filters);
    return {sub_filter, offset - sub_filter * bytes};
  }
  CuckooPlace place{0, offset};
  for (; place.sub_filter < shape.sub_filters; ++place.sub_filter) {
    const std::uint64_t bytes = sub_filter_bytes(shape, place.sub_filter);
    if (place.offset < bytes) break;
    place.offset -= bytes;
  }
  return place;
}

}  // namespace

CuckooPositions cuckoo_positions(std::uint64_t stored) {
  const auto positions = static_cast<CuckooPositions>(stored);
  if (stored <= static_cast<std::uint64_t>(CuckooPositions::unsaid)) return positions;
  throw FormatError("a cuckoo filter's dump whose positions are of the unknown way " +
                    std::to_string(stored));
}

std::uint64_t stored_sub_filters(const CuckooShape& shape) noexcept {
  return shape.sub_filters | (shape.hash == CuckooHash::murmur_32 ? kOldHashMark : 0);
}

void take_sub_filters(std::uint64_t stored, CuckooShape& shape) noexcept {
  shape.sub_filters = stored & ~kOldHashMark;
  shape.hash = (stored & kOldHashMark) != 0 ? CuckooHash::murmur_32 : CuckooHash::murmur_64;
}

std::array<std::byte, kCuckooHeaderBytes> encode_cuckoo_header(const CuckooShape& shape) {
  std::array<std::byte, kCuckooHeaderBytes> header;
  const std::span<std::byte> to(header);
  put_number(to, 0, shape.items);
  put_number(to, 8, shape.bucket_count);
  put_number(to, 16, shape.deletes);
  put_number(to, 24, stored_sub_filters(shape));
  put_number(to, 32, static_cast<std::uint16_t>(shape.bucket_size));
  put_number(to, 34, static_cast<std::uint16_t>(shape.max_iterations));
  put_number(to, 36, static_cast<std::uint16_t>(shape.expansion));
  return header;
}

CuckooShape decode_cuckoo_header(std::span<const std::byte> header) {
  ByteReader read(header, "a header of a cuckoo filter's dump");
  CuckooShape shape;
  shape.items = read.little<std::uint64_t>("items");
  shape.bucket_count = read.little<std::uint64_t>("buckets");
  shape.deletes = read.little<std::uint64_t>("deletes");
  take_sub_filters(read.little<std::uint64_t>("sub-filters"), shape);
  shape.bucket_size = read.little<std::uint16_t>("bucket size");
  shape.max_iterations = read.little<std::uint16_t>("iterations");
  shape.expansion = read.little<std::uint16_t>("expansion");
  if (read.left() == kHashSeedBytes && has_hash_seed(read.take(kHashSeedBytes, "hash seed"))) {
    throw HashSeedError();
  }
  if (read.left() != 0) read.refuse("end", std::to_string(read.left()) + " bytes follow it");
  try {
    check_cuckoo(shape);
  } catch (const std::invalid_argument& error) {
    read.refuse(0, "header", error.what());
  }
  return shape;
}

bool is_cuckoo_header(std::uint64_t byte_count) noexcept {
  return byte_count == kOldCuckooHeaderBytes || byte_count == kCuckooHeaderBytes ||
         byte_count == kCuckooHeaderBytes + kPointerBytes ||
         byte_count == kCuckooHeaderBytes + kHashSeedBytes;
}

CuckooShape decode_any_cuckoo_header(std::span<const std::byte> header,
                                     CuckooPositions& positions) {
  positions = CuckooPositions::slots;
  if (header.size() == kCuckooHeaderBytes + kPointerBytes) {
    positions = CuckooPositions::unsaid;
    return decode_cuckoo_header(header.first(kCuckooHeaderBytes));
  }
  if (header.size() != kOldCuckooHeaderBytes) return decode_cuckoo_header(header);
  positions = CuckooPositions::buckets;
  CuckooShape usual;
  usual.bucket_size = kOldBucketSize;
  usual.expansion = 1;
  auto whole = encode_cuckoo_header(usual);
  std::ranges::copy(header, whole.begin());
  CuckooShape shape = decode_cuckoo_header(whole);
  shape.hash = CuckooHash::murmur_32;
  check_cuckoo(shape);  // which may have fewer buckets
  return shape;
}

std::uint64_t position_in_slots(CuckooPositions& positions, const CuckooShape& shape,
                                std::uint64_t position, std::uint64_t slots) noexcept {
  if (slots == 0) return 0;
  const std::uint64_t buckets = slots / shape.bucket_size;
  if (positions == CuckooPositions::unsaid) {
    if (position == slots + 1) {
      positions = CuckooPositions::slots;
    } else if (position == buckets + 1) {
      positions = CuckooPositions::buckets_of_2_2;
    } else {
      return 0;  // not the first piece
    }
  }
  if (positions == CuckooPositions::slots) return position;
  if (slots % shape.bucket_size != 0 || position <= buckets) return 0;
  const std::uint64_t first = position - 1 - buckets;
  std::uint64_t sub_filter = first / shape.bucket_count;
  // Releases whose positions count buckets leave out the first sub-filter if each has one bucket.
  if (shape.bucket_count == 1) ++sub_filter;
  if (sub_filter >= shape.sub_filters) return 0;
  std::uint64_t offset = first % shape.bucket_count;
  if (positions == CuckooPositions::buckets) offset *= shape.bucket_size;
  for (std::uint64_t i = 0; i < sub_filter; ++i) offset += sub_filter_bytes(shape, i);
  return offset + slots + 1;
}

CuckooChunk cuckoo_chunk(const CuckooFilter& filter, std::uint64_t position,
                         std::uint64_t most_bytes) noexcept {
  if (position == 0) return {};
  const CuckooPlace place = place_of_slot(filter.shape(), position - 1);
  if (place.sub_filter == filter.shape().sub_filters) return {};
  const auto slots = filter.slots(place.sub_filter);
  if (slots.size() <= most_bytes) return {position + slots.size(), slots};
  const auto rest = slots.subspan(place.offset);
  const auto piece = rest.first(std::min<std::uint64_t>(rest.size(), most_bytes));
  return {position + piece.size(), piece};
}

bool load_cuckoo_chunk(CuckooFilter& filter, std::uint64_t position,
                       std::span<const std::byte> slots) noexcept {
  if (slots.empty() || position <= slots.size()) return false;
  const CuckooPlace place = place_of_slot(filter.shape(), position - slots.size() - 1);
  if (place.sub_filter == filter.shape().sub_filters) return false;
  const auto to = filter.slots(place.sub_filter).subspan(place.offset);
  if (slots.size() > to.size()) return false;
  std::ranges::copy(slots, to.begin());
  return true;
}

}  // namespace bloomery::redisbloom
