// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "bloomery/format/redisbloom/redisbloom_cuckoo.h"
#include "module/settings.h"

// The options of CF.RESERVE and CF.INSERT: words in, parameters of a filter out. Knows no server.
// Both throw Refusal and WrongArity.
namespace bloomery::module {

// Returns the options of a cuckoo filter that a command makes without options of its own.
redisbloom::CuckooOptions usual_cuckoo_options(const Settings& settings);

// The whole command, its name and the key included. Options stand anywhere behind the capacity;
// words that are none are ignored, as by RedisBloom.
redisbloom::CuckooOptions parse_cuckoo_reserve(std::span<const std::string_view> words,
                                               const Settings& settings);

struct CuckooInsertOptions {
  redisbloom::CuckooOptions filter{};
  bool create = true;
  std::size_t first_item = 0;
};
// RedisBloom tells options by their first letter, and so does this.
CuckooInsertOptions parse_cuckoo_insert(std::span<const std::string_view> words,
                                        const Settings& settings);

}  // namespace bloomery::module
