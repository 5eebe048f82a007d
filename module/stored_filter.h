#pragma once

#include <cstdint>

#include "bloomery/filter/batch.h"
#include "bloomery/filter/filter_contents.h"
#include "bloomery/filter/insert.h"
#include "module/value_type.h"

namespace bloomery::module {

// A filter that a key holds, of RedisBloom's or of our own: what commands of both ask of it. Knows
// no server but its memory. The server keeps pointers to this class.
class StoredFilter {
 public:
  using Kept = StoredFilter;
  static constexpr bool is_type(ValueType type) noexcept {
    return type == ValueType::chain || type == ValueType::native || type == ValueType::half_chain;
  }

  StoredFilter() = default;
  StoredFilter(const StoredFilter&) = delete;
  StoredFilter& operator=(const StoredFilter&) = delete;
  virtual ~StoredFilter() = default;

  virtual ValueType type() const noexcept = 0;

  // As of GrowingFilter. They throw std::bad_alloc and std::invalid_argument; everything before the
  // key in question is then in.
  virtual Insert try_insert(Key key) = 0;
  virtual void insert_while_room(KeyBatch batch, bool* was_new, InsertProgress& progress) = 0;
  virtual bool may_contain(Key key) const noexcept = 0;
  virtual void may_contain_many(KeyBatch batch, bool* found) const noexcept = 0;
  // Whether it changes also by a key that it has.
  virtual bool counts_repeats() const noexcept { return false; }

  // Keys of the other are in it too then. Throws IncompatibleError; nothing changed.
  virtual void merge(const FilterContents& other) = 0;

  virtual std::uint64_t inserted() const noexcept = 0;
  virtual FilterContents contents() const = 0;
  virtual bool grows() const noexcept = 0;
  virtual std::uint64_t memory_bytes() const = 0;
  // Pieces of it are missing: what it answers "absent" for may yet come.
  virtual bool is_incomplete() const noexcept { return false; }

  // As of the filters; they read every bit.
  virtual double fill_ratio() const noexcept = 0;
  virtual double cardinality() const noexcept = 0;
  virtual double predicted_rate() const noexcept = 0;
};

}  // namespace bloomery::module
