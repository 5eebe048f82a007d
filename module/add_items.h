// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>

#include "bloomery/format/redisbloom/redisbloom_filter.h"
#include "module/call.h"
#include "module/key_terms.h"
#include "module/slot.h"
#include "module/stored_filter.h"

// Functions of the commands that add, whichever filter it is: they find or make the filter, add,
// pass on to replicas, files and watchers what that changed, and answer. A key that is loading has
// none: the load takes the items.
namespace bloomery::module {

// The filter that a command makes of a key that has none.
struct Creation {
  redisbloom::ReserveOptions filter{};
  KeyTerms terms{};
  bool says_all = false;  // as a primary that is this module tells of a new filter
};

// An empty filter. Throws Refusal where it cannot be.
std::unique_ptr<StoredFilter> make_chain(const redisbloom::ReserveOptions& options);

// Adds one item, word 2; the answer is whether it was new. Without `creation` there must be a
// filter.
void add_item(Call& call, const std::optional<Creation>& creation = {});

// Adds the items from the word `first` on; the answers are an array, which ends with an error where
// the filter was full. Where it could not grow it goes on: later items may be present.
void add_items(Call& call, std::size_t first, const std::optional<Creation>& creation = {});

// Adds the items from the word `first` on to a filter that is there, and tells as add_items() does,
// but answers nothing. Throws Refusal, when all others were told, where one did not go in.
void add_all_items(Call& call, Slot& slot, StoredFilter& filter, std::size_t first);

// The items that insert_while_room() left, whatever room there is.
void insert_the_rest(StoredFilter& filter, std::span<const Key> items, bool* was_new,
                     InsertProgress& progress);

}  // namespace bloomery::module
