#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "bloomery/format/redisbloom_dump.h"
#include "bloomery/format/redisbloom_filter.h"
#include "module/server_memory.h"
#include "module/stored_filter.h"

namespace bloomery::module {

// RedisBloom's: a chain of either hash, and while it comes by BF.LOADCHUNK, which of its bytes are
// still missing.
class ChainFilter final : public StoredFilter {
 public:
  explicit ChainFilter(redisbloom::Chain chain);

  static constexpr bool is_type(ValueType type) noexcept {
    return type == ValueType::chain || type == ValueType::half_chain;
  }
  ValueType type() const noexcept override {
    return is_incomplete() ? ValueType::half_chain : ValueType::chain;
  }

  // A new one. Throws std::invalid_argument for a filter that cannot be, std::bad_alloc where there
  // is no memory for it.
  static std::unique_ptr<ChainFilter> reserve(const redisbloom::ReserveOptions& options);
  // Of the header of a dump, whose chunks are to come. Throws FormatError and std::bad_alloc.
  static std::unique_ptr<ChainFilter> of_header(std::span<const std::byte> header);
  // Of contents that were checked, and their words.
  static std::unique_ptr<ChainFilter> of_contents(FilterContents contents,
                                                  std::span<const SharedWords> words);
  // And of one of which pieces are missing: of the bytes of the first `links`, those in `loaded`
  // have come. Throws FormatError where that is not so.
  static std::unique_ptr<ChainFilter> of_half(FilterContents contents,
                                              std::span<const SharedWords> words, std::size_t links,
                                              const ByteRanges& loaded);
  std::unique_ptr<ChainFilter> clone() const;

  Insert try_insert(Key key) override;
  void insert_while_room(KeyBatch batch, bool* was_new, InsertProgress& progress) override;
  bool may_contain(Key key) const noexcept override;
  void may_contain_many(KeyBatch batch, bool* found) const noexcept override;
  void merge(const FilterContents& other) override;

  std::uint64_t inserted() const noexcept override;
  FilterContents contents() const override;
  bool grows() const noexcept override;
  std::uint64_t memory_bytes() const override;  // as RedisBloom counts
  bool is_incomplete() const noexcept override { return loader_ != nullptr; }

  double fill_ratio() const noexcept override;
  double cardinality() const noexcept override;
  double predicted_rate() const noexcept override;

  // A piece of a dump. The bits of a filter that is being loaded are added to, so that what was
  // inserted meanwhile stays; those of others are replaced, as by RedisBloom. `as_it_is`: replaced
  // in any case, as a primary says what became of its own.
  redisbloom::ChunkLoader::Took load(std::uint64_t iterator, std::span<const std::byte> bytes,
                                     bool as_it_is = false);

  // Of one that is incomplete: what it waits for.
  const redisbloom::ChunkLoader& loader() const noexcept { return *loader_; }
  // Bytes as another server had them, which say nothing of what has come, and what has.
  redisbloom::ChunkLoader::Took fill(std::uint64_t iterator, std::span<const std::byte> bytes);
  void came(std::uint64_t first, std::uint64_t end);

  // All that this has, for a key of another type. What stays here is a filter too, and empty.
  std::unique_ptr<ChainFilter> take_out();

 private:
  redisbloom::ChunkLoader::Took replace(std::uint64_t iterator, std::span<const std::byte> bytes);
  void end_loading_when_complete() noexcept;
  void clear_beyond_last_bits() noexcept;
  void count_memory() noexcept;

  redisbloom::Chain chain_;
  std::unique_ptr<redisbloom::ChunkLoader> loader_;
  UncountedMemory beside_;
  std::size_t counted_links_ = 0;
};

}  // namespace bloomery::module
