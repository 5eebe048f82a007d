// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "bloomery/format/redisbloom/redisbloom_cuckoo.h"
#include "module/call.h"
#include "module/stored_cuckoo.h"

// Functions of the CF commands that insert: they find or make the filter, insert, pass on to
// replicas, files and watchers what that changed, and answer.
namespace bloomery::module {

// An empty one. Throws Refusal where it cannot be.
std::unique_ptr<StoredCuckoo> make_cuckoo(const redisbloom::CuckooOptions& options);

// One item, word 2; the answer is whether it was added. `only_new`: not where it seems to be there.
void add_cuckoo_item(Call& call, bool only_new);

// The items behind the options of CF.INSERT; the answers are an array.
void add_cuckoo_items(Call& call, bool only_new);

}  // namespace bloomery::module
