#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "bloomery/filter/batch.h"
#include "bloomery/filter/filter_contents.h"
#include "bloomery/filter/insert.h"
#include "bloomery/format/redisbloom_dump.h"
#include "bloomery/format/redisbloom_filter.h"
#include "module/value_type.h"

namespace bloomery::module {

// What a key holds: a chain of either hash, and while it comes by BF.LOADCHUNK, which of its bytes
// are still missing. Knows no server but its memory.
class StoredFilter {
 public:
  explicit StoredFilter(redisbloom::Chain chain);
  ~StoredFilter();
  StoredFilter(const StoredFilter&) = delete;
  StoredFilter& operator=(const StoredFilter&) = delete;

  static constexpr bool is_type(ValueType type) noexcept { return type == ValueType::chain; }
  static constexpr ValueType type() noexcept { return ValueType::chain; }

  // A new one. Throws std::invalid_argument for a filter that cannot be, std::bad_alloc where there
  // is no memory for it.
  static std::unique_ptr<StoredFilter> reserve(const redisbloom::ReserveOptions& options);
  // Of the header of a dump, whose chunks are to come. Throws FormatError and std::bad_alloc.
  static std::unique_ptr<StoredFilter> of_header(std::span<const std::byte> header);
  // Of contents that were checked, and their words.
  static std::unique_ptr<StoredFilter> of_contents(FilterContents contents,
                                                   std::span<const SharedWords> words);
  std::unique_ptr<StoredFilter> clone() const;

  // As of GrowingFilter.
  Insert try_insert(Key key);
  void insert_while_room(KeyBatch batch, bool* was_new, InsertProgress& progress);
  bool may_contain(Key key) const noexcept;
  void may_contain_many(KeyBatch batch, bool* found) const noexcept;

  std::uint64_t inserted() const noexcept;
  FilterContents contents() const;
  bool grows() const noexcept;

  // A piece of a dump. The bits of a filter that is being loaded are added to, so that what was
  // inserted meanwhile stays; those of others are replaced, as by RedisBloom.
  redisbloom::ChunkLoader::Took load(std::uint64_t iterator, std::span<const std::byte> bytes);
  // Pieces are missing: what it answers "absent" for may yet come.
  bool is_incomplete() const noexcept { return loader_ != nullptr; }

 private:
  redisbloom::ChunkLoader::Took replace(std::uint64_t iterator, std::span<const std::byte> bytes);
  void clear_beyond_last_bits() noexcept;
  void count_memory() noexcept;

  redisbloom::Chain chain_;
  std::unique_ptr<redisbloom::ChunkLoader> loader_;
  std::uint64_t counted_bytes_ = 0;
  std::size_t counted_links_ = 0;
};

}  // namespace bloomery::module
