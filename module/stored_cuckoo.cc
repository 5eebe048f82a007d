#include "module/stored_cuckoo.h"

#include <utility>

namespace bloomery::module {

StoredCuckoo::StoredCuckoo(redisbloom::CuckooFilter filter) : filter_(std::move(filter)) {
  count_memory();
}

std::unique_ptr<StoredCuckoo> StoredCuckoo::make(const redisbloom::CuckooShape& shape) {
  require_room(redisbloom::memory_bytes(shape));
  return std::make_unique<StoredCuckoo>(redisbloom::CuckooFilter(shape));
}

std::unique_ptr<StoredCuckoo> StoredCuckoo::clone() const {
  require_room(redisbloom::memory_bytes(filter_.shape()));
  return std::make_unique<StoredCuckoo>(filter_.clone());
}

void StoredCuckoo::count_memory() noexcept {
  const redisbloom::CuckooShape& shape = filter_.shape();
  while (counted_sub_filters_ < shape.sub_filters) {
    uncounted_.add(redisbloom::sub_filter_bytes(shape, counted_sub_filters_++));
  }
  while (counted_sub_filters_ > shape.sub_filters) {
    uncounted_.remove(redisbloom::sub_filter_bytes(shape, --counted_sub_filters_));
  }
}

}  // namespace bloomery::module
