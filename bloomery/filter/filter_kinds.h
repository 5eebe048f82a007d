// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

#include "bloomery/bits/heap_words.h"
#include "bloomery/filter/any_filter.h"
#include "bloomery/filter/kind.h"
#include "bloomery/filter/owned_static_filter.h"

// Our own kinds of filter. Other systems' kinds are known above: format/kinds.h.
namespace bloomery {

std::span<const Kind> filter_kinds() noexcept;

// Throw std::invalid_argument, listing the names, for one that is none.
std::string_view kind_name(FilterKind kind);
FilterKind kind_named(std::string_view name);

// Kinds that cannot be made empty and then filled.
bool is_built_once(FilterKind kind) noexcept;

// An empty filter of the kind. Throws as BasicFilter's constructor does, and std::invalid_argument
// for a kind that is built once.
AnyFilter make_filter(FilterKind kind, const FilterOptions& options);

// The geometry that make_filter would choose.
Geometry geometry_for(FilterKind kind, const FilterOptions& options);

// A filter over words that are there already: the words of `contents` itself are not looked at.
// Throws FormatError as check_contents (kind.h) does, and where the words are not as many as it
// says.
AnyFilter open_filter(const FilterContents& contents, SharedWords words);
template <BitStorage Storage>
AnyFilter open_filter(const FilterContents& contents, Storage storage) {
  return open_filter(contents, SharedWords::of(std::move(storage)));
}

}  // namespace bloomery
