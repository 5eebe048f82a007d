// SPDX-License-Identifier: Apache-2.0
#include "module/stored_cuckoo.h"

#include <algorithm>
#include <utility>

#include "bloomery/errors.h"
#include "bloomery/format/redisbloom/redisbloom_cuckoo_dump.h"

namespace bloomery::module {

StoredCuckoo::StoredCuckoo(redisbloom::CuckooFilter filter) : filter_(std::move(filter)) {
  note_change();
}

std::unique_ptr<StoredCuckoo> StoredCuckoo::make(const redisbloom::CuckooShape& shape) {
  require_room(redisbloom::memory_bytes(shape));
  return std::make_unique<StoredCuckoo>(redisbloom::CuckooFilter(shape));
}

StoredCuckoo::StoredCuckoo(redisbloom::CuckooFilter filter, Half half)
    : filter_(std::move(filter)) {
  const ByteRanges& loaded = half.loaded;
  if (half.expected_slots > redisbloom::slot_bytes(filter_.shape()) ||
      loaded.byte_count() >= half.expected_slots ||
      (!loaded.all().empty() && loaded.all().rbegin()->second > half.expected_slots)) {
    throw FormatError("half a cuckoo filter whose pieces are not of its slots");
  }
  half_ = std::move(half);
  note_change();
}

std::unique_ptr<StoredCuckoo> StoredCuckoo::of_header(const redisbloom::CuckooShape& shape,
                                                      redisbloom::CuckooPositions positions) {
  require_room(redisbloom::memory_bytes(shape));
  return std::make_unique<StoredCuckoo>(
      redisbloom::CuckooFilter(shape),
      Half{.expected_slots = redisbloom::slot_bytes(shape), .positions = positions});
}

std::unique_ptr<StoredCuckoo> StoredCuckoo::clone() const {
  require_room(redisbloom::memory_bytes(filter_.shape()));
  if (!half_) return std::make_unique<StoredCuckoo>(filter_.clone());
  return std::make_unique<StoredCuckoo>(filter_.clone(), *half_);
}

bool StoredCuckoo::has(std::uint64_t position, std::span<const std::byte> slots) const {
  if (slots.empty() || position <= slots.size()) return false;
  const auto chunk = redisbloom::cuckoo_chunk(filter_, position - slots.size(), slots.size());
  return std::ranges::equal(chunk.slots, slots);
}

bool StoredCuckoo::load(std::uint64_t position, std::span<const std::byte> slots) {
  if (!half_) return fill(position, slots);
  auto positions = half_->positions;
  const std::uint64_t end =
      redisbloom::position_in_slots(positions, filter_.shape(), position, slots.size());
  // Behind the slots that come is what was added meanwhile.
  if (end > half_->expected_slots + 1 || !fill(end, slots)) return false;
  half_->positions = positions;
  came(end - slots.size() - 1, end - 1);
  return true;
}

bool StoredCuckoo::fill(std::uint64_t position, std::span<const std::byte> slots) {
  return redisbloom::load_cuckoo_chunk(filter_, position, slots);
}

void StoredCuckoo::came(std::uint64_t first, std::uint64_t end) {
  if (!half_) return;
  half_->loaded.add(first, std::min(end, half_->expected_slots));
  if (half_->loaded.byte_count() >= half_->expected_slots) half_.reset();
}

std::unique_ptr<StoredCuckoo> StoredCuckoo::take_out() {
  return std::make_unique<StoredCuckoo>(std::move(filter_));  // only a whole one is taken out
}

void StoredCuckoo::note_change() noexcept {
  const redisbloom::CuckooShape& shape = filter_.shape();
  while (counted_sub_filters_ < shape.sub_filters) {
    uncounted_.add(redisbloom::sub_filter_bytes(shape, counted_sub_filters_++));
  }
  while (counted_sub_filters_ > shape.sub_filters) {
    uncounted_.remove(redisbloom::sub_filter_bytes(shape, --counted_sub_filters_));
  }
  in_totals_.update({.filters = 1,
                     .layers = shape.sub_filters,
                     .items = shape.items,
                     .capacity = redisbloom::slot_bytes(shape),
                     .bytes = redisbloom::memory_bytes(shape)});
}

}  // namespace bloomery::module
