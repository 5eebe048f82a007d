// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bloomery/bits/heap_words.h"
#include "bloomery/filter/kernels/region_kernel.h"

namespace bloomery {

// Packed probes sorted by region as they come: each region's stay in the order in which they were
// appended. Regions take chunks of 4 KiB from one pool as they need them, so keys that crowd a few
// regions need no more memory than keys that spread. A region's last probes wait in the cache until
// there are some lines of them, which are then written at once. Nothing throws but the constructor.
class Scatter {
 public:
  static constexpr std::uint32_t kChunk = 512;  // probes
  static constexpr std::size_t kMostProbes = std::size_t{1} << 31;
  static constexpr std::size_t kMostPositions = std::size_t{1} << 32;

  // Room for `most_probes`, at most kMostProbes, and with position_end() at most kMostPositions.
  // With `numbered`, each carries a number.
  // Throws std::bad_alloc, or std::invalid_argument where the machine has not that much memory.
  Scatter(std::size_t region_count, std::size_t most_probes, bool numbered, const RegionOps& ops);

  // How much memory the constructor takes.
  static std::uint64_t byte_count(std::size_t region_count, std::size_t most_probes,
                                  bool numbered) noexcept;

  void clear() noexcept;

  // Appends packed[i] to the region regions[i].
  void append(std::size_t count, const std::uint64_t* packed,
              const std::uint32_t* regions) noexcept;
  // Appends packed[i] to the region regions[i], and sets positions[i] to its position.
  void append(std::size_t count, const std::uint64_t* packed, const std::uint32_t* regions,
              std::uint32_t* positions) noexcept;
  // Appends packed[i], whose number is numbers[i], to the region regions[i].
  void append_numbered(std::size_t count, const std::uint64_t* packed, const std::uint32_t* regions,
                       const std::uint32_t* numbers) noexcept;

  // Writes the probes that wait. The pieces are right only behind it, and for other threads behind
  // stream_fence() of the thread that appended.
  void settle() noexcept;

  // No two probes share a position, and all positions are below this.
  std::size_t position_end() const noexcept { return next_chunk_.size() * kChunk; }
  static std::size_t position_end(std::size_t region_count, std::size_t most_probes) noexcept {
    return chunk_count(region_count, most_probes) * kChunk;
  }

  // A stretch of a region's probes, at consecutive positions.
  struct Piece {
    std::uint32_t position = 0;
    std::span<const std::uint64_t> probes;
    const std::uint32_t* numbers = nullptr;  // one for each; null without
  };

  // The pieces of a region, in the order of its probes; empty after the last.
  class Pieces {
   public:
    Pieces() = default;
    Pieces(const Scatter& scatter, std::size_t region) noexcept
        : scatter_(&scatter),
          at_(static_cast<std::uint32_t>(region * kChunk)),
          end_(scatter.position(scatter.next_[region]) + scatter.waiting_[region]),
          chunk_(static_cast<std::uint32_t>(region)) {}

    Piece next() noexcept {
      if (at_ == end_) return {};
      const std::uint32_t from = at_;
      if (chunk_ == end_ / kChunk) {
        at_ = end_;
        return scatter_->piece(from, end_ - from);
      }
      chunk_ = scatter_->next_chunk_[chunk_];
      at_ = chunk_ * kChunk;
      return scatter_->piece(from, kChunk - from % kChunk);
    }

   private:
    const Scatter* scatter_ = nullptr;
    std::uint32_t at_ = 0;
    std::uint32_t end_ = 0;
    std::uint32_t chunk_ = 0;
  };

  // About how many probes a region has: at most a chunk too many.
  std::size_t probe_estimate(std::size_t region) const noexcept {
    return std::size_t{chunk_count_[region]} * kChunk;
  }

 private:
  static constexpr std::size_t kChunkBytes = kChunk * sizeof(std::uint64_t);

  static std::size_t chunk_count(std::size_t region_count, std::size_t most_probes) noexcept {
    return region_count + most_probes / kChunk;  // a region's last chunk is never full
  }
  template <class Note>
  void append_each(std::size_t count, const std::uint64_t* packed, const std::uint32_t* regions,
                   Note note) noexcept;
  void write_waiting(std::size_t region) noexcept;
  std::uint64_t* open_chunk(std::size_t region) noexcept;
  std::uint32_t position(const std::uint64_t* place) const noexcept {
    return static_cast<std::uint32_t>(place - chunks_);
  }
  Piece piece(std::uint32_t position, std::size_t count) const noexcept;

  // How many probes wait for a region at most, as a logarithm: two to eight lines, fewer where
  // there are more regions, as all that wait is to be within a core's cache. A chunk has room for
  // them at any time.
  static std::uint32_t waiting_log(std::size_t region_count) noexcept;
  std::size_t most_waiting() const noexcept { return std::size_t{1} << waiting_log_; }
  std::size_t first_waiting(std::size_t region) const noexcept { return region << waiting_log_; }

  std::uint32_t waiting_log_;
  void (*stream_)(std::uint64_t* to, const std::uint64_t* from, std::size_t lines);
  HeapWords chunk_words_;
  HeapWords number_words_;
  HeapWords waiting_words_;
  HeapWords waiting_number_words_;
  std::uint64_t* chunks_;   // on a boundary of kChunkBytes
  std::uint32_t* numbers_;  // one for each position, or null
  std::uint64_t* waiting_probes_;
  std::uint32_t* waiting_numbers_;  // or null
  // waiting_, next_, last_chunk_, chunk_count_: for each region, how many probes wait, where the
  // first of them goes, the last chunk, and the number of chunks. A region's first chunk has the
  // region's number.
  std::vector<std::uint32_t> waiting_;
  std::vector<std::uint64_t*> next_;
  std::vector<std::uint32_t> last_chunk_;
  std::vector<std::uint32_t> chunk_count_;
  std::vector<std::uint32_t> next_chunk_;  // of each chunk, in its region
  std::uint32_t used_chunks_ = 0;
};

}  // namespace bloomery
