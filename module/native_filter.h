#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "bloomery/filter/any_filter.h"
#include "bloomery/format/native/file_notes.h"
#include "module/added_meanwhile.h"
#include "module/server_memory.h"
#include "module/stored_filter.h"

namespace bloomery::module {

// A filter of any kind but RedisBloom's own in their type of keys: what BLOOM.RESERVE makes, and
// what BLOOM.LOAD brought. Our own kinds keep their rate: one that does not grow is full at its
// capacity.
class NativeFilter final : public StoredFilter {
 public:
  explicit NativeFilter(AnyFilter filter, FileNotes notes = {});

  static constexpr bool is_type(ValueType type) noexcept { return type == ValueType::native; }
  ValueType type() const noexcept override { return ValueType::native; }

  // An empty one. Throws std::invalid_argument, saying why, and std::bad_alloc.
  static std::unique_ptr<NativeFilter> reserve(FilterKind kind, const FilterOptions& options);
  // The same of the head of a native file. Throws FormatError where that is not of an empty filter.
  static std::unique_ptr<NativeFilter> of_head(std::span<const std::byte> head);
  std::unique_ptr<NativeFilter> clone() const;

  Insert try_insert(Key key) override;
  void insert_while_room(KeyBatch batch, bool* was_new, InsertProgress& progress) override;
  bool may_contain(Key key) const noexcept override { return filter_.may_contain(key); }
  void may_contain_many(KeyBatch batch, bool* found) const noexcept override;
  bool counts_repeats() const noexcept override;
  void merge(const FilterContents& other) override;
  // Adds what a load kept, whether there is room or not: it was told to be in. Throws
  // std::invalid_argument where a filter of this kind takes none.
  void take_over(const AddedMeanwhile& added);

  bool can_erase() const noexcept { return filter_.can_erase(); }
  bool erase(Key key) { return filter_.erase(key); }

  std::uint64_t inserted() const noexcept override { return filter_.inserted(); }
  FilterContents contents() const override { return filter_.contents(); }
  bool grows() const noexcept override;
  std::uint64_t memory_bytes() const override;

  double fill_ratio() const noexcept override { return filter_.fill_ratio(); }
  double cardinality() const noexcept override { return filter_.cardinality(); }
  double predicted_rate() const noexcept override { return filter_.predicted_rate(); }

  const FilterParameters& parameters() const noexcept { return filter_.parameters(); }
  const FileNotes& notes() const noexcept { return notes_; }

 private:
  std::uint64_t room() const noexcept;
  void count_memory();

  AnyFilter filter_;
  FileNotes notes_;
  UncountedMemory beside_;
  std::size_t counted_arrays_ = 0;
  std::uint64_t counted_capacity_ = 0;
};

}  // namespace bloomery::module
