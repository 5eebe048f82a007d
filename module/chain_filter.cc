#include "module/chain_filter.h"

#include <algorithm>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "bloomery/bits/heap_words.h"
#include "bloomery/errors.h"

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

ChainFilter::ChainFilter(redisbloom::Chain chain) : chain_(std::move(chain)) {
  count_memory();
}

std::unique_ptr<ChainFilter> ChainFilter::reserve(const redisbloom::ReserveOptions& options) {
  const Layer first = redisbloom::next_link(redisbloom::reserve_parameters(options), {});
  require_room(redisbloom::link_bytes(first));
  return std::make_unique<ChainFilter>(redisbloom::reserve(options));
}

std::unique_ptr<ChainFilter> ChainFilter::of_header(std::span<const std::byte> header) {
  FilterContents contents = without_byte_notes(redisbloom::decode_header(header));
  require_room_for(contents);
  auto loader = std::make_unique<ChunkLoader>(std::move(contents));
  auto filter = std::make_unique<ChainFilter>(loader->chain());
  filter->loader_ = std::move(loader);
  return filter;
}

std::unique_ptr<ChainFilter> ChainFilter::of_contents(FilterContents contents,
                                                      std::span<const SharedWords> words) {
  return std::make_unique<ChainFilter>(
      redisbloom::open_chain(without_byte_notes(std::move(contents)), words));
}

std::unique_ptr<ChainFilter> ChainFilter::of_half(FilterContents contents,
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
  auto filter = of_contents(std::move(contents), words);
  const auto first = words.first(links);
  filter->loader_ = std::make_unique<ChunkLoader>(
      std::move(header), std::vector<SharedWords>(first.begin(), first.end()), loaded);
  return filter;
}

std::unique_ptr<ChainFilter> ChainFilter::clone() const {
  const FilterContents from = contents();
  require_room_for(from);
  std::vector<SharedWords> words;
  for (const auto& each : from.words) {
    HeapWords copy(each.size());
    std::ranges::copy(each, copy.words().begin());
    words.push_back(SharedWords::of(std::move(copy)));
  }
  if (loader_ == nullptr) return of_contents(from, words);
  return of_half(from, words, loader_->header().layers.size(), loader_->loaded());
}

std::unique_ptr<ChainFilter> ChainFilter::take_out() {
  auto taken = std::make_unique<ChainFilter>(redisbloom::reserve({.capacity = 1}));
  std::swap(taken->chain_, chain_);
  std::swap(taken->loader_, loader_);
  taken->counted_links_ = 0;
  taken->count_memory();
  return taken;
}

Insert ChainFilter::try_insert(Key key) {
  const Insert insert = std::visit([&](auto& chain) { return chain.try_insert(key); }, chain_);
  if (insert == Insert::added) count_memory();
  return insert;
}

void ChainFilter::insert_while_room(KeyBatch batch, bool* was_new, InsertProgress& progress) {
  std::visit([&](auto& chain) { chain.insert_while_room(batch, was_new, progress); }, chain_);
  count_memory();
}

bool ChainFilter::may_contain(Key key) const noexcept {
  return std::visit([&](const auto& chain) { return chain.may_contain(key); }, chain_);
}

void ChainFilter::may_contain_many(KeyBatch batch, bool* found) const noexcept {
  const Answers answers(found, batch.size());
  std::visit([&](const auto& chain) { chain.may_contain_many(batch, answers); }, chain_);
}

void ChainFilter::merge(const FilterContents& other) {
  std::visit([&](auto& chain) { chain.merge(other); }, chain_);
}

double ChainFilter::fill_ratio() const noexcept {
  return std::visit([](const auto& chain) { return chain.fill_ratio(); }, chain_);
}
double ChainFilter::cardinality() const noexcept {
  return std::visit([](const auto& chain) { return chain.cardinality(); }, chain_);
}
double ChainFilter::predicted_rate() const noexcept {
  return std::visit([](const auto& chain) { return chain.predicted_rate(); }, chain_);
}

std::uint64_t ChainFilter::inserted() const noexcept {
  return std::visit([](const auto& chain) { return chain.inserted(); }, chain_);
}

FilterContents ChainFilter::contents() const {
  return std::visit([](const auto& chain) { return chain.contents(); }, chain_);
}

bool ChainFilter::grows() const noexcept {
  return std::visit(
      [](const auto& chain) {
        return (chain.parameters().foreign_options & redisbloom::kNoScaling) == 0;
      },
      chain_);
}

std::uint64_t ChainFilter::memory_bytes() const {
  return redisbloom::memory_bytes(contents().layers);
}

ChunkLoader::Took ChainFilter::load(std::uint64_t iterator, std::span<const std::byte> bytes,
                                    bool as_it_is) {
  auto took = ChunkLoader::Took::all;
  if (loader_ == nullptr || as_it_is) took = replace(iterator, bytes);
  if (loader_ != nullptr && took == ChunkLoader::Took::all) took = loader_->load(iterator, bytes);
  clear_beyond_last_bits();
  end_loading_when_complete();
  return took;
}

ChunkLoader::Took ChainFilter::fill(std::uint64_t iterator, std::span<const std::byte> bytes) {
  const auto took = replace(iterator, bytes);
  clear_beyond_last_bits();
  return took;
}

void ChainFilter::came(std::uint64_t first, std::uint64_t end) {
  if (loader_ == nullptr) return;
  loader_->came(first, end);
  end_loading_when_complete();
}

void ChainFilter::end_loading_when_complete() noexcept {
  if (loader_ != nullptr && loader_->missing_bytes() == 0) loader_.reset();
}

ChunkLoader::Took ChainFilter::replace(std::uint64_t iterator, std::span<const std::byte> bytes) {
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

void ChainFilter::clear_beyond_last_bits() noexcept {
  std::visit(
      [](auto& chain) {
        for (std::size_t i = 0; i < chain.layer_count(); ++i) {
          const std::uint64_t used = chain.layer_state(i).geometry.bit_count % kWordBits;
          if (used != 0) chain.layer_words(i).back() &= (std::uint64_t{1} << used) - 1;
        }
      },
      chain_);
}

void ChainFilter::count_memory() noexcept {
  std::visit(
      [&](const auto& chain) {
        for (; counted_links_ < chain.layer_count(); ++counted_links_) {
          beside_.add(redisbloom::link_bytes(chain.layer_state(counted_links_)));
        }
      },
      chain_);
}

}  // namespace bloomery::module
