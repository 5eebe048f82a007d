#include "module/stored_filter.h"

#include <algorithm>
#include <new>
#include <stdexcept>
#include <utility>
#include <variant>
#include <vector>

#include "bloomery/bits/heap_words.h"
#include "module/server_memory.h"

namespace bloomery::module {
namespace {

using redisbloom::ChunkLoader;

// What old dumps say of their bytes is no more than that: a server writes them anew.
FilterContents without_byte_notes(FilterContents contents) {
  contents.parameters.foreign_options &= redisbloom::kKnownOptions;
  return contents;
}

void require_room_for(const FilterContents& contents) {
  require_room(redisbloom::memory_bytes(contents.layers));
}

}  // namespace

StoredFilter::StoredFilter(redisbloom::Chain chain) : chain_(std::move(chain)) {
  count_memory();
}

StoredFilter::~StoredFilter() {
  count_uncounted(-static_cast<std::int64_t>(counted_bytes_));
}

std::unique_ptr<StoredFilter> StoredFilter::reserve(const redisbloom::ReserveOptions& options) {
  const Layer first = redisbloom::next_link(redisbloom::reserve_parameters(options), {});
  require_room(redisbloom::link_bytes(first));
  return std::make_unique<StoredFilter>(redisbloom::reserve(options));
}

std::unique_ptr<StoredFilter> StoredFilter::of_header(std::span<const std::byte> header) {
  FilterContents contents = without_byte_notes(redisbloom::decode_header(header));
  require_room_for(contents);
  auto loader = std::make_unique<ChunkLoader>(std::move(contents));
  auto filter = std::make_unique<StoredFilter>(loader->chain());
  filter->loader_ = std::move(loader);
  return filter;
}

std::unique_ptr<StoredFilter> StoredFilter::of_contents(FilterContents contents,
                                                        std::span<const SharedWords> words) {
  return std::make_unique<StoredFilter>(
      redisbloom::open_chain(without_byte_notes(std::move(contents)), words));
}

std::unique_ptr<StoredFilter> StoredFilter::clone() const {
  const FilterContents from = contents();
  require_room_for(from);
  std::vector<SharedWords> words;
  for (const auto& each : from.words) {
    HeapWords copy(each.size());
    std::ranges::copy(each, copy.words().begin());
    words.push_back(SharedWords::of(std::move(copy)));
  }
  return of_contents(from, words);
}

Insert StoredFilter::try_insert(Key key) {
  const Insert insert = std::visit([&](auto& chain) { return chain.try_insert(key); }, chain_);
  if (insert == Insert::added) count_memory();
  return insert;
}

void StoredFilter::insert_while_room(KeyBatch batch, bool* was_new, InsertProgress& progress) {
  std::visit([&](auto& chain) { chain.insert_while_room(batch, was_new, progress); }, chain_);
  count_memory();
}

bool StoredFilter::may_contain(Key key) const noexcept {
  return std::visit([&](const auto& chain) { return chain.may_contain(key); }, chain_);
}

void StoredFilter::may_contain_many(KeyBatch batch, bool* found) const noexcept {
  const Answers answers(found, batch.size());
  std::visit([&](const auto& chain) { chain.may_contain_many(batch, answers); }, chain_);
}

std::uint64_t StoredFilter::inserted() const noexcept {
  return std::visit([](const auto& chain) { return chain.inserted(); }, chain_);
}

FilterContents StoredFilter::contents() const {
  return std::visit([](const auto& chain) { return chain.contents(); }, chain_);
}

bool StoredFilter::grows() const noexcept {
  return std::visit(
      [](const auto& chain) {
        return (chain.parameters().foreign_options & redisbloom::kNoScaling) == 0;
      },
      chain_);
}

ChunkLoader::Took StoredFilter::load(std::uint64_t iterator, std::span<const std::byte> bytes) {
  const auto took = loader_ != nullptr ? loader_->load(iterator, bytes) : replace(iterator, bytes);
  clear_beyond_last_bits();
  if (loader_ != nullptr && loader_->missing_bytes() == 0) loader_.reset();
  return took;
}

ChunkLoader::Took StoredFilter::replace(std::uint64_t iterator, std::span<const std::byte> bytes) {
  return std::visit(
      [&](auto& chain) {
        if (iterator <= bytes.size()) return ChunkLoader::Took::no_such_link;
        std::uint64_t offset = iterator - bytes.size() - 1;
        for (std::size_t i = 0; i < chain.layer_count(); ++i) {
          const std::uint64_t held = redisbloom::link_bytes(chain.layer_state(i));
          if (offset < held) {
            if (bytes.size() > held - offset) return ChunkLoader::Took::beyond_its_link;
            const auto to = std::as_writable_bytes(chain.layer_words(i)).subspan(offset);
            std::ranges::copy(bytes, to.begin());
            return ChunkLoader::Took::all;
          }
          offset -= held;
        }
        return ChunkLoader::Took::no_such_link;
      },
      chain_);
}

void StoredFilter::clear_beyond_last_bits() noexcept {
  std::visit(
      [](auto& chain) {
        for (std::size_t i = 0; i < chain.layer_count(); ++i) {
          const std::uint64_t used = chain.layer_state(i).geometry.bit_count % kWordBits;
          if (used != 0) chain.layer_words(i).back() &= (std::uint64_t{1} << used) - 1;
        }
      },
      chain_);
}

void StoredFilter::count_memory() noexcept {
  std::visit(
      [&](const auto& chain) {
        for (; counted_links_ < chain.layer_count(); ++counted_links_) {
          const std::uint64_t bytes =
              uncounted_part(redisbloom::link_bytes(chain.layer_state(counted_links_)));
          counted_bytes_ += bytes;
          count_uncounted(static_cast<std::int64_t>(bytes));
        }
      },
      chain_);
}

}  // namespace bloomery::module
