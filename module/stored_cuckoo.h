#pragma once

#include <cstdint>
#include <memory>

#include "bloomery/format/redisbloom_cuckoo.h"
#include "module/server_memory.h"
#include "module/value_type.h"

namespace bloomery::module {

// What a key holds: a cuckoo filter, whose memory is counted. Knows no server but its memory.
class StoredCuckoo {
 public:
  using Kept = StoredCuckoo;
  static constexpr bool is_type(ValueType type) noexcept { return type == ValueType::cuckoo; }
  static constexpr ValueType type() noexcept { return ValueType::cuckoo; }

  explicit StoredCuckoo(redisbloom::CuckooFilter filter);

  // An empty one. Throws std::bad_alloc or std::invalid_argument where there is no memory for it.
  static std::unique_ptr<StoredCuckoo> make(const redisbloom::CuckooShape& shape);
  std::unique_ptr<StoredCuckoo> clone() const;

  const redisbloom::CuckooFilter& filter() const noexcept { return filter_; }
  // Calls change(filter), which may add and drop sub-filters.
  template <class Change>
  auto change(Change change) {
    const CountAtEnd count{*this};
    return change(filter_);
  }

 private:
  struct CountAtEnd {
    StoredCuckoo& of;
    ~CountAtEnd() { of.count_memory(); }
  };
  void count_memory() noexcept;

  redisbloom::CuckooFilter filter_;
  std::uint64_t counted_sub_filters_ = 0;
  UncountedMemory uncounted_;
};

}  // namespace bloomery::module
