// SPDX-License-Identifier: Apache-2.0
// What only chains of RedisBloom's have: their way in, whole or in the pieces of a dump.
#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "bloomery/bits/heap_words.h"
#include "bloomery/errors.h"
#include "bloomery/format/kinds.h"
#include "module/stored_filter.h"

namespace bloomery::module {
namespace {

using redisbloom::ChunkLoader;

// Removes what an old dump says of its own bytes alone: a server writes them anew.
FilterContents without_byte_notes(FilterContents contents) {
  contents.parameters.foreign_options &= redisbloom::kKnownOptions;
  return contents;
}

std::vector<SharedWords> copy_of(const FilterContents& contents) {
  std::vector<SharedWords> words;
  for (const auto& each : contents.words) {
    HeapWords copy(each.size());
    std::ranges::copy(each, copy.words().begin());
    words.push_back(SharedWords::of(std::move(copy)));
  }
  return words;
}

}  // namespace

std::unique_ptr<StoredFilter> StoredFilter::reserve(const redisbloom::ReserveOptions& options) {
  const Layer first = redisbloom::next_link(redisbloom::reserve_parameters(options), {});
  require_room(redisbloom::link_bytes(first));
  return std::make_unique<StoredFilter>(redisbloom::reserve(options));
}

std::unique_ptr<StoredFilter> StoredFilter::of_chain(FilterContents contents,
                                                     std::span<const SharedWords> words) {
  return std::make_unique<StoredFilter>(
      redisbloom::open_chain(without_byte_notes(std::move(contents)), words));
}

std::unique_ptr<StoredFilter> StoredFilter::of_header(std::span<const std::byte> header) {
  FilterContents contents = without_byte_notes(redisbloom::decode_header(header));
  require_room(redisbloom::memory_bytes(contents.layers));
  auto loader = std::make_unique<ChunkLoader>(std::move(contents));
  auto filter = std::make_unique<StoredFilter>(loader->chain());
  filter->loader_ = std::move(loader);
  return filter;
}

std::unique_ptr<StoredFilter> StoredFilter::of_half(FilterContents contents,
                                                    std::span<const SharedWords> words,
                                                    std::size_t links, const ByteRanges& loaded) {
  FilterContents header = contents;
  if (links == 0 || links > header.layers.size()) {
    throw FormatError("half a RedisBloom filter that waits for " + std::to_string(links) +
                      " links of " + std::to_string(header.layers.size()));
  }
  header.layers.resize(links);
  std::uint64_t bytes = 0;
  for (const Layer& link : header.layers) bytes += redisbloom::link_bytes(link);
  if (loaded.byte_count() >= bytes ||
      (!loaded.all().empty() && loaded.all().rbegin()->second > bytes)) {
    throw FormatError("half a RedisBloom filter whose pieces are not of its " +
                      std::to_string(bytes) + " bytes");
  }
  auto filter = of_chain(std::move(contents), words);
  const auto first = words.first(links);
  filter->loader_ = std::make_unique<ChunkLoader>(
      std::move(header), std::vector<SharedWords>(first.begin(), first.end()), loaded);
  return filter;
}

std::unique_ptr<StoredFilter> StoredFilter::clone() const {
  const FilterContents from = contents();
  if (is_chain()) {
    require_room(redisbloom::memory_bytes(from.layers));
    const auto words = copy_of(from);
    if (loader_ == nullptr) return of_chain(from, words);
    return of_half(from, words, loader_->header().layers.size(), loader_->loaded());
  }
  HeapWords words(from.word_count());
  auto to = words.words().begin();
  for (const auto& each : from.words) to = std::ranges::copy(each, to).out;
  return std::make_unique<StoredFilter>(open_any(from, std::move(words)), notes_);
}

std::unique_ptr<StoredFilter> StoredFilter::take_out() {
  end_ring();
  auto taken = std::make_unique<StoredFilter>(redisbloom::reserve({.capacity = 1}));
  std::swap(taken->filter_, filter_);
  std::swap(taken->kind_, kind_);
  std::swap(taken->loader_, loader_);
  taken->counted_arrays_ = 0;
  taken->note_change();
  return taken;
}

ChunkLoader::Took StoredFilter::load(std::uint64_t iterator, std::span<const std::byte> bytes,
                                     bool as_it_is) {
  end_ring();
  auto took = ChunkLoader::Took::all;
  const auto how = loader_ == nullptr ? Put::added : Put::replaced;
  if (loader_ == nullptr || as_it_is) took = put(iterator, bytes, how);
  if (loader_ != nullptr && took == ChunkLoader::Took::all) took = loader_->load(iterator, bytes);
  clear_beyond_last_bits();
  end_loading_when_complete();
  return took;
}

ChunkLoader::Took StoredFilter::fill(std::uint64_t iterator, std::span<const std::byte> bytes) {
  end_ring();
  const auto took = put(iterator, bytes, Put::replaced);
  clear_beyond_last_bits();
  return took;
}

void StoredFilter::came(std::uint64_t first, std::uint64_t end) {
  if (loader_ == nullptr) return;
  loader_->came(first, end);
  end_loading_when_complete();
}

void StoredFilter::end_loading_when_complete() noexcept {
  if (loader_ != nullptr && loader_->missing_bytes() == 0) loader_.reset();
}

ChunkLoader::Took StoredFilter::put(std::uint64_t iterator, std::span<const std::byte> bytes,
                                    Put how) {
  if (iterator <= bytes.size()) return ChunkLoader::Took::no_such_link;
  std::uint64_t offset = iterator - bytes.size() - 1;
  const FilterContents of = contents();
  for (std::size_t i = 0; i < of.layers.size(); ++i) {
    const std::uint64_t held = redisbloom::link_bytes(of.layers[i]);
    if (offset < held) {
      if (bytes.size() > held - offset) return ChunkLoader::Took::beyond_its_link;
      const auto to = std::as_writable_bytes(filter_.layer_words(i)).subspan(offset);
      if (how == Put::replaced) {
        std::ranges::copy(bytes, to.begin());
      } else {
        std::ranges::transform(bytes, to, to.begin(), std::bit_or());
      }
      return ChunkLoader::Took::all;
    }
    offset -= held;
  }
  return ChunkLoader::Took::no_such_link;
}

void StoredFilter::clear_beyond_last_bits() {
  const FilterContents of = contents();
  for (std::size_t i = 0; i < of.layers.size(); ++i) {
    const std::uint64_t used = of.layers[i].geometry.bit_count % kWordBits;
    if (used != 0) filter_.layer_words(i).back() &= (std::uint64_t{1} << used) - 1;
  }
}

}  // namespace bloomery::module
