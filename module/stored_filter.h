// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "bloomery/filter/any_filter.h"
#include "bloomery/filter/kind.h"
#include "bloomery/format/native/file_notes.h"
#include "bloomery/format/redisbloom/redisbloom_dump.h"
#include "bloomery/format/redisbloom/redisbloom_filter.h"
#include "module/added_meanwhile.h"
#include "module/delta_ring.h"
#include "module/server_memory.h"
#include "module/totals.h"
#include "module/value_type.h"

namespace bloomery::module {

// A filter that a key holds: a chain of RedisBloom's, or one of any other kind, which BLOOM.RESERVE
// made or BLOOM.LOAD brought. Our own kinds keep their rate: one that does not grow is full at its
// capacity. The server keeps pointers to this class, and of the server it knows but the memory.
class StoredFilter final {
 public:
  using Kept = StoredFilter;
  static constexpr bool is_type(ValueType type) noexcept {
    return type == ValueType::chain || type == ValueType::native || type == ValueType::half_chain;
  }

  explicit StoredFilter(AnyFilter filter, FileNotes notes = {});

  // An empty one. Throws std::invalid_argument, saying why, and std::bad_alloc.
  static std::unique_ptr<StoredFilter> reserve(FilterKind kind, const FilterOptions& options);
  static std::unique_ptr<StoredFilter> reserve(const redisbloom::ReserveOptions& options);
  // An empty filter, by the head of its native file. Throws FormatError where that is not of an
  // empty filter.
  static std::unique_ptr<StoredFilter> of_head(std::span<const std::byte> head);
  // A chain of contents that were checked, and the words of each link.
  static std::unique_ptr<StoredFilter> of_chain(FilterContents contents,
                                                std::span<const SharedWords> words);
  // A chain by the header of its dump, whose chunks are to come. Throws FormatError and
  // std::bad_alloc.
  static std::unique_ptr<StoredFilter> of_header(std::span<const std::byte> header);
  // A chain of which pieces are missing: of the bytes of the first `links`, those in `loaded` have
  // come. Throws FormatError where that is not so.
  static std::unique_ptr<StoredFilter> of_half(FilterContents contents,
                                               std::span<const SharedWords> words,
                                               std::size_t links, const ByteRanges& loaded);
  std::unique_ptr<StoredFilter> clone() const;

  // One of RedisBloom's, of either hash.
  bool is_chain() const noexcept {
    return kind_->number == redisbloom::kKind.number || kind_->number == redisbloom::kKind32.number;
  }
  ValueType type() const noexcept {
    return !is_chain()       ? ValueType::native
           : is_incomplete() ? ValueType::half_chain
                             : ValueType::chain;
  }

  // Insert as GrowingFilter does. They throw std::bad_alloc and std::invalid_argument; everything
  // before the key in question is then in.
  Insert try_insert(Key key);
  void insert_while_room(KeyBatch batch, bool* was_new, InsertProgress& progress);
  // Inserts also where the filter is full and does not grow. True when the key is new.
  bool insert_regardless(Key key);
  bool may_contain(Key key) const noexcept { return filter_.may_contain(key); }
  void may_contain_many(KeyBatch batch, bool* found) const noexcept {
    filter_.may_contain_many(batch, {found, batch.size()});
  }
  bool can_erase() const noexcept { return filter_.can_erase(); }
  bool erase(Key key);
  // Returns whether the filter also changes by a key that it has.
  bool counts_repeats() const noexcept;

  // Keys of the other are in it too then. Throws IncompatibleError; nothing changed.
  void merge(const FilterContents& other);
  // Adds what a load kept, whether there is room or not: it was told to be in. Throws
  // std::invalid_argument where a filter of this kind takes none.
  void take_over(const AddedMeanwhile& added);

  const FilterParameters& parameters() const noexcept { return filter_.parameters(); }
  const FileNotes& notes() const noexcept { return notes_; }
  // Gives a new filter its identity, which nothing else has.
  void take_identity(const Identity& identity) noexcept { notes_.identity = identity; }
  // Moves the watermark, if identity, watermark and (where given) beat are these; else false. Every
  // key of the source up to `next` is in. From none to none only the beat moves, `by` as much.
  bool advance(const Identity& identity, std::optional<std::uint64_t> beat,
               const std::optional<Watermark>& from, const std::optional<Watermark>& next,
               std::uint64_t by) noexcept;
  std::uint64_t inserted() const noexcept { return filter_.inserted(); }
  FilterContents contents() const { return filter_.contents(); }
  bool grows() const noexcept;
  std::uint64_t memory_bytes() const;  // of a chain, as RedisBloom counts

  // Why the filter has no ring, as a sentence; null where it has: a copy of one that forgets goes
  // by another clock, and bits go out of one that counts.
  const char* why_no_ring() const noexcept;
  // The ring as a question finds it: with a name, and room for `most_bytes` of hashes, though for
  // no more than an eighth of the filter's bytes. Throws std::bad_alloc.
  DeltaRing& ask_ring(std::uint64_t most_bytes);
  // Null where nobody ever asked.
  const DeltaRing* ring() const noexcept { return ring_.get(); }
  std::uint64_t ring_bytes() const noexcept { return ring_ ? ring_->byte_count() : 0; }

  // Return what the filter's own functions do; each reads every bit.
  double fill_ratio() const noexcept { return filter_.fill_ratio(); }
  double cardinality() const noexcept { return filter_.cardinality(); }
  double predicted_rate() const noexcept { return filter_.predicted_rate(); }

  // Pieces of a chain are missing: what it answers "absent" for may yet come.
  bool is_incomplete() const noexcept { return loader_ != nullptr; }
  // The pieces that it waits for then.
  const redisbloom::ChunkLoader& loader() const noexcept { return *loader_; }

  // A piece of a chain's dump, added to the bits that are there, so that what was inserted stays,
  // also where a piece comes again when all have come. `as_it_is`: of a chain that is being loaded
  // they are replaced, as a primary says what became of its own.
  redisbloom::ChunkLoader::Took load(std::uint64_t iterator, std::span<const std::byte> bytes,
                                     bool as_it_is = false);
  // Bytes as another server had them, which say nothing of what has come, and what has.
  redisbloom::ChunkLoader::Took fill(std::uint64_t iterator, std::span<const std::byte> bytes);
  void came(std::uint64_t first, std::uint64_t end);
  // All that a chain has, for a key of another type. What stays here is a filter too, and empty.
  std::unique_ptr<StoredFilter> take_out();

 private:
  std::uint64_t room() const noexcept;
  std::uint64_t newest_moment() const;  // of a window by time, in milliseconds; else 0
  void note_change() noexcept;          // after each change
  void count_memory() noexcept;
  DeltaRing::Basis ring_basis() const noexcept;
  // Tell the ring of keys that came in, whether they were new or not; and of other changed bits.
  void tell_ring(KeyBatch keys) noexcept;
  void end_ring() noexcept {
    if (ring_) ring_->forget();
  }
  enum class Put { replaced, added };
  redisbloom::ChunkLoader::Took put(std::uint64_t iterator, std::span<const std::byte> bytes,
                                    Put how);
  void clear_beyond_last_bits();
  void end_loading_when_complete() noexcept;

  AnyFilter filter_;
  const Kind* kind_;
  FileNotes notes_;
  std::unique_ptr<redisbloom::ChunkLoader> loader_{};
  std::unique_ptr<DeltaRing> ring_{};
  UncountedMemory beside_;
  std::size_t counted_arrays_ = 0;
  std::uint64_t counted_capacity_ = 0;
  CountedInTotals in_totals_{TotalsOf::bloom};
};

}  // namespace bloomery::module
