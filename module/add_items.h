// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "bloomery/format/redisbloom/redisbloom_filter.h"
#include "module/call.h"
#include "module/stored_filter.h"

// Functions of the commands that add, whichever filter it is: they add, pass on to replicas, files
// and watchers what that changed, and answer.
namespace bloomery::module {

// The options by which this very command made a filter; none if the filter was there before.
using MadeOf = std::optional<redisbloom::ReserveOptions>;

// A load of the key is under way, and there is no filter yet: the load keeps them. Items from the
// word `first` on; the answers are an array, of whether each was new, or for `one` no array.
void add_to_load(Call& call, OpenKey& key, Upload& load, std::size_t first, bool one);

// A load has taken items for the key, which keeps that from here on: the filter that is made when
// the load is gone, by whomever, would say "absent" of them.
void await_load(OpenKey& key);
// Keeps in a load what a filter has taken already, or what others say that it has. Where there is
// no memory for it the load cannot end well any more; throws Refusal if it comes with a slot.
bool note(const Call& call, Upload& load, Key item, std::uint64_t milliseconds,
          std::uint64_t times = 1);
// Throws Refusal where one is to be made before; also where that key was evicted.
void require_no_items_kept(const Call& call, const OpenKey& key);
// Throws Refusal while a load is under way, but not where a primary or a file says the command.
// Keys that are added without their items would not be in the filter that is on its way.
void require_no_load(const Call& call);

// One item, word 2; the answer is whether it was new.
void add_item(Call& call, StoredFilter& filter, const MadeOf& made_of);

// Items from the word `first` on; the answers are an array, which ends with an error where the
// filter was full. Where it could not grow it goes on: later items may be present.
void add_items(Call& call, StoredFilter& filter, std::size_t first, const MadeOf& made_of);

// Adds and tells as add_items() does, of the items from the word `first` to before `end`, but
// answers nothing. Throws Refusal, when all others were told, where one of them did not go in.
void add_all_items(Call& call, StoredFilter& filter, std::size_t first, std::size_t end);

// The items that insert_while_room() left, whatever room there is.
void insert_the_rest(StoredFilter& filter, std::span<const Key> items, bool* was_new,
                     InsertProgress& progress);

}  // namespace bloomery::module
