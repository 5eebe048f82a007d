// SPDX-License-Identifier: Apache-2.0
#include "module/stored_filter.h"

#include <algorithm>
#include <concepts>
#include <limits>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bloomery/bits/byte_order.h"
#include "bloomery/bits/heap_words.h"
#include "bloomery/errors.h"
#include "bloomery/filter/filter_kinds.h"
#include "bloomery/filter/generation_clock.h"
#include "bloomery/format/kinds.h"
#include "bloomery/format/native/file_header.h"
#include "module/window_clock.h"

namespace bloomery::module {
namespace {

// The length of the file whose head this is.
std::uint64_t file_bytes_of(std::span<const std::byte> head) {
  if (head.size() < kHeaderBytes) return head.size();
  return FileLayout::of(get_number<std::uint16_t>(head, kFieldBytesAt),
                        get_number<std::uint64_t>(head, kBodyBitsAt))
      .file_bytes;
}

}  // namespace

StoredFilter::StoredFilter(AnyFilter filter, FileNotes notes)
    : filter_(std::move(filter)), kind_(&kind_of(parameters().kind)), notes_(std::move(notes)) {
  note_change();
}

bool StoredFilter::advance(const Identity& identity, std::optional<std::uint64_t> beat,
                           const std::optional<Watermark>& from,
                           const std::optional<Watermark>& next, std::uint64_t by) noexcept {
  if (!identity.is_set() || !notes_.stand_at(identity, from, beat.value_or(notes_.beat))) {
    return false;
  }
  notes_.step(next, by);
  if (ring_) ring_->step();
  return true;
}

std::unique_ptr<StoredFilter> StoredFilter::reserve(FilterKind kind, const FilterOptions& options) {
  FilterOptions with_clock = options;
  with_clock.window.clock = window_now;
  return std::make_unique<StoredFilter>(make_filter(kind, with_clock));
}

std::unique_ptr<StoredFilter> StoredFilter::of_head(std::span<const std::byte> head) {
  FileHeader header = decode_head(head, file_bytes_of(head));
  FilterContents& contents = header.contents;
  if (contents.inserted != 0 || kind_of(contents.parameters.kind).built_once) {
    throw FormatError("the head of a filter that is not empty");
  }
  contents.parameters.window.clock = window_now;
  HeapWords words(any_word_count(contents));
  return std::make_unique<StoredFilter>(open_any(contents, std::move(words)), header.notes);
}

std::uint64_t StoredFilter::room() const noexcept {
  const bool is_full_one_day =
      !is_foreign(kind_->number) && !kind_->has_layers && !kind_->forgets && !kind_->built_once;
  if (!is_full_one_day) return std::numeric_limits<std::uint64_t>::max();
  return filter_.capacity() - std::min(filter_.capacity(), filter_.inserted());
}

Insert StoredFilter::try_insert(Key key) {
  if (room() == 0 && !filter_.may_contain(key)) return Insert::full;
  const Insert insert = filter_.try_insert(key);
  if (insert == Insert::added) note_change();
  if (insert != Insert::full) tell_ring({&key, 1});
  return insert;
}

void StoredFilter::insert_while_room(KeyBatch batch, bool* was_new, InsertProgress& progress) {
  progress = {};
  while (progress.done < batch.size()) {
    const std::size_t first = progress.done;
    const std::uint64_t free = room();
    const std::size_t count = static_cast<std::size_t>(
        std::min<std::uint64_t>(std::max<std::uint64_t>(free, 1), batch.size() - first));
    const KeyBatch part = batch.subbatch(first, count);
    bool found = true;
    if (free == 0) filter_.may_contain_many(part, {&found, 1});
    if (!found) return;
    InsertProgress of_part;
    const auto take_over = [&] {
      progress.done += of_part.done;
      progress.added += of_part.added;
      note_change();
      tell_ring(part.subbatch(0, of_part.done));
    };
    try {
      filter_.insert_while_room(part, was_new + first, of_part);
    } catch (...) {
      take_over();
      throw;
    }
    take_over();
    if (of_part.done < count) return;
  }
}

bool StoredFilter::insert_regardless(Key key) {
  const bool added = filter_.insert_regardless(key);
  if (added) note_change();
  tell_ring({&key, 1});
  return added;
}

bool StoredFilter::erase(Key key) {
  end_ring();
  const bool erased = filter_.erase(key);
  if (erased) note_change();
  return erased;
}

bool StoredFilter::counts_repeats() const noexcept {
  return can_erase() || kind_->forgets;
}

void StoredFilter::merge(const FilterContents& other) {
  if (kind_->forgets || kind_->built_once) {
    throw IncompatibleError("cannot merge: filters of the kind " + std::string(kind_->name) +
                            " are not merged here");
  }
  end_ring();
  filter_.merge(other);
  note_change();
}

void StoredFilter::take_over(const AddedMeanwhile& added) {
  if (added.all().empty()) return;
  end_ring();
  if (kind_->built_once) {
    throw std::invalid_argument(std::to_string(added.all().size()) +
                                " items were added during the load, and filters of the kind " +
                                std::string(kind_->name) + " take none");
  }
  std::vector<const AddedMeanwhile::Item*> items;
  for (const auto& each : added.all()) items.push_back(&each);
  // A window takes its items in the order of time. None goes before the newest generation that
  // came: that would be a clock that goes back, and what the others are younger by is safe.
  const std::uint64_t first_moment = newest_moment();
  std::ranges::stable_sort(items, {}, [](const auto* each) { return each->milliseconds; });
  constexpr std::uint64_t kMostCounted = 16;  // counters end before
  for (const auto* const each : items) {
    const AtMoment moment(std::max(each->milliseconds, first_moment));
    const std::uint64_t times = can_erase() ? std::min(each->times, kMostCounted) : 1;
    for (std::uint64_t i = 0; i < times; ++i) filter_.insert_regardless(Key(each->text));
  }
  note_change();
}

std::uint64_t StoredFilter::newest_moment() const {
  if (!kind_->forgets) return 0;
  const FilterContents of = contents();
  return GenerationClock(of.parameters).newest_begin_ms(of.words.front());
}

const char* StoredFilter::why_no_ring() const noexcept {
  if (kind_->forgets) return "a windowed filter forgets by its server's clock, and has no deltas";
  if (can_erase()) return "a counting filter has bits that go, and so no deltas";
  if (!filter_.hashes_once()) return "a filter of this kind has no hashes to send";
  return nullptr;
}

DeltaRing::Basis StoredFilter::ring_basis() const noexcept {
  return {.capacity = filter_.capacity(), .keys = parameters().keys};
}

DeltaRing& StoredFilter::ask_ring(std::uint64_t most_bytes) {
  constexpr std::uint64_t kLeastShare = 8;
  if (!ring_) ring_ = std::make_unique<DeltaRing>();
  const std::uint64_t bytes = contents().word_count() * sizeof(std::uint64_t);
  ring_->ask(ring_basis(), std::min(most_bytes, bytes / kLeastShare));
  return *ring_;
}

void StoredFilter::tell_ring(KeyBatch keys) noexcept {
  if (!ring_ || !ring_->name().is_set()) return;
  keys.visit([this]<class T>(std::span<const T> batch) {
    for (const T& each : batch) {
      if constexpr (std::same_as<T, HashPair>) {
        ring_->add(each);
      } else if constexpr (std::same_as<T, Key>) {
        ring_->add(filter_.hash(each));
      } else {
        return ring_->forget();
      }
    }
  });
  ring_->require(ring_basis());
}

bool StoredFilter::grows() const noexcept {
  if (is_chain()) return (parameters().foreign_options & redisbloom::kNoScaling) == 0;
  return kind_->has_layers && parameters().growth.expansion != 0;
}

std::uint64_t StoredFilter::memory_bytes() const {
  const FilterContents of = contents();
  if (is_chain()) return redisbloom::memory_bytes(of.layers);
  return sizeof *this + of.word_count() * sizeof(std::uint64_t);
}

void StoredFilter::note_change() noexcept {
  count_memory();
  Totals share = in_totals_.now();
  share.items = filter_.inserted();
  in_totals_.update(share);
}

void StoredFilter::count_memory() noexcept {
  // Only a filter that grew has new arrays.
  const std::uint64_t capacity = filter_.capacity();
  if (capacity == counted_capacity_ && counted_arrays_ != 0) return;
  try {
    const FilterContents now = contents();
    const auto& arrays = now.words;
    for (; counted_arrays_ < arrays.size(); ++counted_arrays_) {
      beside_.add(arrays[counted_arrays_].size_bytes());
    }
    counted_capacity_ = capacity;
    in_totals_.update({.filters = 1,
                       .layers = std::max<std::uint64_t>(now.layers.size(), 1),
                       .items = now.inserted,
                       .capacity = capacity,
                       .bytes = memory_bytes()});
  } catch (const std::bad_alloc&) {
    // Counted with the next.
  }
}

}  // namespace bloomery::module
