#include "bloomery/filter/bulk/scatter.h"

#include <algorithm>

namespace bloomery {
namespace {

constexpr std::size_t kRegionBookkeeping = sizeof(std::uint64_t*) + 3 * sizeof(std::uint32_t);
constexpr std::size_t kStagger = 29 * kLineWords;

}  // namespace

Scatter::Scatter(std::size_t region_count, std::size_t most_probes, bool numbered)
    : chunk_words_((chunk_count(region_count, most_probes) + 1) * kChunk),
      number_words_(numbered ? chunk_count(region_count, most_probes) * kChunk / 2 : 0),
      numbers_(reinterpret_cast<std::uint32_t*>(number_words_.words().data())),
      next_(region_count),
      first_(region_count),
      last_chunk_(region_count),
      chunk_count_(region_count),
      next_chunk_(chunk_count(region_count, most_probes)) {
  const auto start = reinterpret_cast<std::uintptr_t>(chunk_words_.words().data());
  const std::uintptr_t aligned = (start + kChunkBytes - 1) / kChunkBytes * kChunkBytes;
  chunks_ = reinterpret_cast<std::uint64_t*>(aligned);
  clear();
}

std::uint64_t Scatter::byte_count(std::size_t region_count, std::size_t most_probes,
                                  bool numbered) noexcept {
  const std::uint64_t chunks = chunk_count(region_count, most_probes);
  const std::uint64_t chunk_bytes = kChunkBytes + (numbered ? kChunkBytes / 2 : 0);
  return kChunkBytes + chunks * (chunk_bytes + sizeof(std::uint32_t)) +
         region_count * kRegionBookkeeping;
}

void Scatter::clear() noexcept {
  used_chunks_ = 0;
  std::ranges::fill(chunk_count_, 0);
  for (std::size_t region = 0; region < next_.size(); ++region) {
    // Regions fill alike. Would they all begin at the start of a chunk, they would write to the
    // same few sets of the cache at any time.
    next_[region] = open_chunk(region) + region * kStagger % kChunk;
    first_[region] = position(next_[region]);
  }
}

// Calls write(place, i) for the place of each probe in turn.
template <class Write>
[[gnu::always_inline]] inline void Scatter::place_each(std::size_t count,
                                                       const std::uint32_t* regions,
                                                       Write write) noexcept {
  // The places of a group are taken before any of it is written: a load from next_ that had to
  // wait for the address of the store before it would make the loop a chain.
  constexpr std::size_t kGroup = 8;
  std::uint64_t** const next = next_.data();
  std::uint64_t* places[kGroup];
  const auto take = [&](std::size_t first, std::size_t group) {
    for (std::size_t i = 0; i < group; ++i) {
      const std::uint32_t region = regions[first + i];
      std::uint64_t* at = next[region];
      places[i] = at++;
      if (reinterpret_cast<std::uintptr_t>(at) % kChunkBytes == 0) [[unlikely]] {
        at = open_chunk(region);
      }
      next[region] = at;
    }
    for (std::size_t i = 0; i < group; ++i) {
      write(places[i], first + i);
      // The line that is written next is fetched beforehand: a store that misses would wait.
      __builtin_prefetch(places[i] + kLineWords / 2 + 1, 1);
    }
  };
  std::size_t first = 0;
  for (; first + kGroup <= count; first += kGroup) take(first, kGroup);
  take(first, count - first);
}

void Scatter::append(std::size_t count, const std::uint64_t* packed,
                     const std::uint32_t* regions) noexcept {
  place_each(count, regions, [=](std::uint64_t* place, std::size_t i) { *place = packed[i]; });
}

void Scatter::append(std::size_t count, const std::uint64_t* packed, const std::uint32_t* regions,
                     std::uint32_t* positions) noexcept {
  place_each(count, regions, [=, this](std::uint64_t* place, std::size_t i) {
    *place = packed[i];
    positions[i] = position(place);
  });
}

void Scatter::append_numbered(std::size_t count, const std::uint64_t* packed,
                              const std::uint32_t* regions, const std::uint32_t* numbers) noexcept {
  place_each(count, regions, [=, this](std::uint64_t* place, std::size_t i) {
    *place = packed[i];
    std::uint32_t* const number = numbers_ + position(place);
    *number = numbers[i];
    __builtin_prefetch(number + kLineBytes / sizeof(std::uint32_t) / 2, 1);
  });
}

std::uint64_t* Scatter::open_chunk(std::size_t region) noexcept {
  const std::uint32_t chunk = used_chunks_++;
  if (chunk_count_[region]++ != 0) next_chunk_[last_chunk_[region]] = chunk;
  last_chunk_[region] = chunk;
  std::uint64_t* const start = chunks_ + std::uint64_t{chunk} * kChunk;
  __builtin_prefetch(start, 1);
  return start;
}

Scatter::Piece Scatter::piece(std::uint32_t position, std::size_t count) const noexcept {
  return {
      position, {chunks_ + position, count}, numbers_ == nullptr ? nullptr : numbers_ + position};
}

}  // namespace bloomery
