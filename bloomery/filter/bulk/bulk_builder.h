// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "bloomery/filter/any_filter.h"
#include "bloomery/filter/batch.h"
#include "bloomery/filter/bulk/bulk_options.h"

namespace bloomery {

// build_parallel() for keys that come a batch at a time, out of a file or a database: their hashes
// are kept, the keys are not, and the filter is written when a round is full. Sorting is the
// caller's thread's work, writing that of BulkOptions::threads.
//
// A batch for kinds other than blocked is inserted at once, and so is one wherever sorting does not
// pay. The filter must outlive the builder, holds the keys after finish(), and is not to be used
// before.
class BulkBuilder {
 public:
  // About `key_count` keys will come.
  BulkBuilder(AnyFilter& filter, std::uint64_t key_count, const BulkOptions& options = {});
  BulkBuilder(const BulkBuilder&) = delete;
  BulkBuilder& operator=(const BulkBuilder&) = delete;
  ~BulkBuilder();

  // Inserts the keys, now or by finish().
  void add(KeyBatch keys);

  // Writes what is left. Returns how many of all keys were new, as BasicFilter::inserted() counts.
  std::size_t finish() noexcept;

 private:
  struct Rounds;

  void apply() noexcept;

  AnyFilter& filter_;
  std::unique_ptr<Rounds> rounds_;  // null: keys are inserted at once
  std::size_t added_ = 0;
};

}  // namespace bloomery
