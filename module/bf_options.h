// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "bloomery/format/redisbloom/redisbloom_filter.h"
#include "module/key_terms.h"
#include "module/refusal.h"
#include "module/settings.h"

// The options of BF.RESERVE and BF.INSERT: words in, parameters of a filter out. Knows no server.
namespace bloomery::module {

using Words = std::span<const std::string_view>;

// The expansion of a filter that does not grow is stored, though never used: the server's usual one
// unless a command says more. A BF.RESERVE from a primary or a file means this one then, and may
// say another beside NONSCALING, which no client may: so that the stored bytes are the same.
inline constexpr std::uint32_t kUnsaidExpansion = 2;

// Returns the options of a filter that a command makes without options of its own.
redisbloom::ReserveOptions usual_options(const Settings& settings);

// The whole command, its name and the key included. Options stand anywhere behind the capacity;
// words that are none are ignored, as by RedisBloom.
redisbloom::ReserveOptions parse_reserve(Words words, const Settings& settings);
// NX and EX of the same command, which RedisBloom does not have. Throws WrongArity where the words
// beside them are more than it takes.
KeyTerms parse_reserve_terms(Words words);

struct InsertOptions {
  redisbloom::ReserveOptions filter{};
  KeyTerms terms{};
  bool create = true;
  bool says_all = false;  // capacity, rate and expansion
  std::size_t first_item = 0;
};
// RedisBloom tells options by a letter or two, and so does this: ERR is ERROR. But for NX and EX,
// which it would take for NONSCALING and EXPANSION, and which no primary says.
InsertOptions parse_insert(Words words, const Settings& settings);

}  // namespace bloomery::module
