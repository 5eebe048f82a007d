// SPDX-License-Identifier: Apache-2.0
#include "bloomery/filter/bulk/scatter.h"

#include <algorithm>

namespace bloomery {
namespace {

constexpr std::uint64_t kWaitingBytes = 512 * 1024;  // of probes that wait, if it can be
constexpr std::size_t kNumbersOfAWord = sizeof(std::uint64_t) / sizeof(std::uint32_t);

std::uint32_t* numbers_in(HeapWords& words) {
  return reinterpret_cast<std::uint32_t*>(words.words().data());
}

}  // namespace

Scatter::Scatter(std::size_t region_count, std::size_t most_probes, bool numbered,
                 const RegionOps& ops)
    : waiting_log_(waiting_log(region_count)),
      stream_(ops.stream),
      chunk_words_((chunk_count(region_count, most_probes) + 1) * kChunk),
      number_words_(numbered ? chunk_count(region_count, most_probes) * kChunk / kNumbersOfAWord
                             : 0),
      waiting_words_(region_count << waiting_log_),
      waiting_number_words_(numbered ? (region_count << waiting_log_) / kNumbersOfAWord : 0),
      numbers_(numbers_in(number_words_)),
      waiting_probes_(waiting_words_.words().data()),
      waiting_numbers_(numbers_in(waiting_number_words_)),
      waiting_(region_count),
      next_(region_count),
      last_chunk_(region_count),
      chunk_count_(region_count),
      next_chunk_(chunk_count(region_count, most_probes)) {
  const auto start = reinterpret_cast<std::uintptr_t>(chunk_words_.words().data());
  const std::uintptr_t aligned = (start + kChunkBytes - 1) / kChunkBytes * kChunkBytes;
  chunks_ = reinterpret_cast<std::uint64_t*>(aligned);
  clear();
}

std::uint32_t Scatter::waiting_log(std::size_t region_count) noexcept {
  std::uint32_t log = 6;
  while (log > 4 && (region_count * sizeof(std::uint64_t)) << log > kWaitingBytes) --log;
  return log;
}

std::uint64_t Scatter::byte_count(std::size_t region_count, std::size_t most_probes,
                                  bool numbered) noexcept {
  const std::uint64_t chunks = chunk_count(region_count, most_probes);
  const std::uint64_t waiting = std::uint64_t{region_count} << waiting_log(region_count);
  std::uint64_t bytes = HeapWords::byte_count((chunks + 1) * kChunk) +
                        HeapWords::byte_count(waiting) + chunks * sizeof(std::uint32_t) +
                        region_count * (sizeof(std::uint64_t*) + 3 * sizeof(std::uint32_t));
  if (numbered) {
    bytes += HeapWords::byte_count(chunks * kChunk / kNumbersOfAWord) +
             HeapWords::byte_count(waiting / kNumbersOfAWord);
  }
  return bytes;
}

void Scatter::clear() noexcept {
  used_chunks_ = 0;
  std::ranges::fill(waiting_, 0);
  std::ranges::fill(chunk_count_, 0);
  for (std::size_t region = 0; region < next_.size(); ++region) next_[region] = open_chunk(region);
}

// Calls note(i, place) for each probe in turn, with its place among those that wait.
template <class Note>
[[gnu::always_inline]] inline void Scatter::append_each(std::size_t count,
                                                        const std::uint64_t* packed,
                                                        const std::uint32_t* regions,
                                                        Note note) noexcept {
  std::uint64_t* const probes = waiting_probes_;
  std::uint32_t* const waiting = waiting_.data();
  const std::uint32_t log = waiting_log_;
#pragma GCC unroll 8
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t region = regions[i];
    const std::uint32_t before = waiting[region];
    const std::size_t place = (region << log) + before;
    probes[place] = packed[i];
    note(i, place);
    waiting[region] = before + 1;
    if ((before + 1) >> log != 0) [[unlikely]] {
      write_waiting(region);
    }
  }
}

void Scatter::append(std::size_t count, const std::uint64_t* packed,
                     const std::uint32_t* regions) noexcept {
  append_each(count, packed, regions, [](std::size_t, std::size_t) {});
}

void Scatter::append(std::size_t count, const std::uint64_t* packed, const std::uint32_t* regions,
                     std::uint32_t* positions) noexcept {
  append_each(count, packed, regions, [=, this](std::size_t i, std::size_t place) {
    positions[i] = position(next_[regions[i]]) + static_cast<std::uint32_t>(place % most_waiting());
  });
}

void Scatter::append_numbered(std::size_t count, const std::uint64_t* packed,
                              const std::uint32_t* regions, const std::uint32_t* numbers) noexcept {
  append_each(count, packed, regions, [=, this](std::size_t i, std::size_t place) {
    waiting_numbers_[place] = numbers[i];
  });
}

[[gnu::noinline]] void Scatter::write_waiting(std::size_t region) noexcept {
  std::uint64_t* const to = next_[region];
  const std::size_t first = first_waiting(region);
  stream_(to, waiting_probes_ + first, most_waiting() / kLineWords);
  if (numbers_ != nullptr) {
    stream_(reinterpret_cast<std::uint64_t*>(numbers_ + position(to)),
            reinterpret_cast<const std::uint64_t*>(waiting_numbers_ + first),
            most_waiting() / kNumbersOfAWord / kLineWords);
  }
  waiting_[region] = 0;
  next_[region] = to + most_waiting();
  if (reinterpret_cast<std::uintptr_t>(next_[region]) % kChunkBytes == 0) {
    next_[region] = open_chunk(region);
  }
}

void Scatter::settle() noexcept {
  for (std::size_t region = 0; region < next_.size(); ++region) {
    const std::size_t first = first_waiting(region);
    std::copy_n(waiting_probes_ + first, waiting_[region], next_[region]);
    if (numbers_ != nullptr) {
      std::copy_n(waiting_numbers_ + first, waiting_[region], numbers_ + position(next_[region]));
    }
  }
}

std::uint64_t* Scatter::open_chunk(std::size_t region) noexcept {
  const std::uint32_t chunk = used_chunks_++;
  if (chunk_count_[region]++ != 0) next_chunk_[last_chunk_[region]] = chunk;
  last_chunk_[region] = chunk;
  return chunks_ + std::uint64_t{chunk} * kChunk;
}

Scatter::Piece Scatter::piece(std::uint32_t position, std::size_t count) const noexcept {
  return {
      position, {chunks_ + position, count}, numbers_ == nullptr ? nullptr : numbers_ + position};
}

}  // namespace bloomery
