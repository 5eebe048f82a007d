#include "module/native_filter.h"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bloomery/bits/byte_order.h"
#include "bloomery/bits/heap_words.h"
#include "bloomery/errors.h"
#include "bloomery/filter/filter_kinds.h"
#include "bloomery/format/kinds.h"
#include "bloomery/format/native/file_header.h"
#include "module/window_clock.h"

namespace bloomery::module {
namespace {

bool is_full_one_day(const Kind& kind) noexcept {
  return !is_foreign(kind.number) && !kind.has_layers && !kind.forgets && !kind.built_once;
}

// The length of the file whose head this is.
std::uint64_t file_bytes_of(std::span<const std::byte> head) {
  constexpr std::size_t kFieldBytesAt = 14;
  constexpr std::size_t kBodyBitsAt = 24;
  if (head.size() < kHeaderBytes) return head.size();
  return FileLayout::of(get_number<std::uint16_t>(head, kFieldBytesAt),
                        get_number<std::uint64_t>(head, kBodyBitsAt))
      .file_bytes;
}

}  // namespace

NativeFilter::NativeFilter(AnyFilter filter, FileNotes notes)
    : filter_(std::move(filter)), notes_(std::move(notes)) {
  count_memory();
}

std::unique_ptr<NativeFilter> NativeFilter::reserve(FilterKind kind, const FilterOptions& options) {
  FilterOptions with_clock = options;
  with_clock.window.clock = window_now;
  return std::make_unique<NativeFilter>(make_filter(kind, with_clock));
}

std::unique_ptr<NativeFilter> NativeFilter::of_head(std::span<const std::byte> head) {
  FileHeader header = decode_head(head, file_bytes_of(head));
  FilterContents& contents = header.contents;
  if (contents.inserted != 0 || kind_of(contents.parameters.kind).built_once) {
    throw FormatError("the head of a filter that is not empty");
  }
  contents.parameters.window.clock = window_now;
  HeapWords words(any_word_count(contents));
  return std::make_unique<NativeFilter>(open_any(contents, std::move(words)), header.notes);
}

std::unique_ptr<NativeFilter> NativeFilter::clone() const {
  const FilterContents from = contents();
  HeapWords words(from.word_count());
  auto to = words.words().begin();
  for (const auto& each : from.words) to = std::ranges::copy(each, to).out;
  return std::make_unique<NativeFilter>(open_any(from, std::move(words)), notes_);
}

std::uint64_t NativeFilter::room() const noexcept {
  if (!is_full_one_day(kind_of(parameters().kind)))
    return std::numeric_limits<std::uint64_t>::max();
  return filter_.capacity() - std::min(filter_.capacity(), filter_.inserted());
}

Insert NativeFilter::try_insert(Key key) {
  bool was_new = false;
  InsertProgress progress;
  insert_while_room({&key, 1}, &was_new, progress);
  if (progress.done == 0) return Insert::full;
  return was_new ? Insert::added : Insert::present;
}

void NativeFilter::insert_while_room(KeyBatch batch, bool* was_new, InsertProgress& progress) {
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
      count_memory();
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

void NativeFilter::may_contain_many(KeyBatch batch, bool* found) const noexcept {
  filter_.may_contain_many(batch, {found, batch.size()});
}

bool NativeFilter::counts_repeats() const noexcept {
  return can_erase() || kind_of(parameters().kind).forgets;
}

void NativeFilter::merge(const FilterContents& other) {
  const Kind& kind = kind_of(parameters().kind);
  if (kind.forgets || kind.built_once) {
    throw IncompatibleError("cannot merge: filters of the kind " + std::string(kind.name) +
                            " are not merged here");
  }
  auto reason = merge_obstacle(contents(), other);
  if (!reason.empty()) throw IncompatibleError("cannot merge: " + reason);
  filter_.merge(other);
}

void NativeFilter::take_over(const AddedMeanwhile& added) {
  if (added.all().empty()) return;
  if (is_built_once(parameters().kind)) {
    throw std::invalid_argument(std::to_string(added.all().size()) +
                                " items were added during the load, and filters of the kind " +
                                std::string(kind_of(parameters().kind).name) + " take none");
  }
  std::vector<const AddedMeanwhile::Item*> items;
  for (const auto& each : added.all()) items.push_back(&each);
  // A window takes its items in the order of time.
  std::ranges::stable_sort(items, {}, [](const auto* each) { return each->milliseconds; });
  constexpr std::uint64_t kMostCounted = 16;  // counters end before
  for (const auto* const each : items) {
    const AtMoment moment(each->milliseconds);
    const std::uint64_t times = can_erase() ? std::min(each->times, kMostCounted) : 1;
    for (std::uint64_t i = 0; i < times; ++i) filter_.insert(Key(each->text));
  }
  count_memory();
}

bool NativeFilter::grows() const noexcept {
  const FilterParameters& of = parameters();
  return kind_of(of.kind).has_layers && of.growth.expansion != 0;
}

std::uint64_t NativeFilter::memory_bytes() const {
  return sizeof *this + contents().word_count() * sizeof(std::uint64_t);
}

void NativeFilter::count_memory() {
  // Only a filter that grew has new arrays.
  if (filter_.capacity() == counted_capacity_ && counted_arrays_ != 0) return;
  counted_capacity_ = filter_.capacity();
  const auto arrays = contents().words;
  for (; counted_arrays_ < arrays.size(); ++counted_arrays_) {
    beside_.add(arrays[counted_arrays_].size_bytes());
  }
}

}  // namespace bloomery::module
