// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "bloomery/filter/basic_filter.h"
#include "bloomery/filter/blocked_layout.h"
#include "bloomery/filter/bulk/bulk_options.h"

// Many keys into a blocked filter at once, for less than memory's random lines cost: the keys are
// sorted by region of the filter first, and each region is then set while one thread has it in its
// cache. No two threads share a line.
//
//   build_parallel(filter, keys, {.threads = 2});
//
// Bits, answers and inserted() are those of inserting the keys one by one in their order, whatever
// the number of threads. Memory beside the filter is bounded by rounds: see BulkOptions. Where
// sorting does not pay (a filter of a few megabytes, few keys, one thread and two lines a key) or
// the memory cannot be had, the keys are inserted as insert_many does it. The filter may hold keys
// already; nobody else may use it meanwhile. Nothing throws.
namespace bloomery {

// Sets the bits of the keys in `words`, which are the layout's own. Returns how many were new.
std::size_t insert_bulk(const BlockedLayout& layout, std::span<std::uint64_t> words, KeyBatch keys,
                        const BulkOptions& options = {}) noexcept;

// Returns how many keys were new; one that stands twice is new once.
template <BitStorage Storage>
std::size_t build_parallel(BasicFilter<BlockedLayout, Storage>& filter, KeyBatch keys,
                           const BulkOptions& options = {}) noexcept {
  return filter.change_words([&](std::span<std::uint64_t> words) noexcept {
    return insert_bulk(BlockedLayout(filter.parameters()), words, keys, options);
  });
}

}  // namespace bloomery
