// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "bloomery/filter/options.h"
#include "bloomery/filter/parameters.h"
#include "module/key_terms.h"
#include "module/refusal.h"
#include "module/settings.h"

namespace bloomery::module {

// The request of a BLOOM.RESERVE: words in, a kind and its parameters out. Knows no server.
struct BloomReserve {
  FilterKind kind = FilterKind::scalable;
  FilterOptions filter{.keys = {}};  // bytes, as clients send them
  KeyTerms terms{};
};

// The whole command, its name and the key included. Throws Refusal for a word that is unknown, or
// stands twice, or contradicts another.
BloomReserve parse_bloom_reserve(std::span<const std::string_view> words, const Settings& settings);

}  // namespace bloomery::module
