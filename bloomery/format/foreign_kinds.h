#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

#include "bloomery/bits/heap_words.h"
#include "bloomery/bits/shared_words.h"
#include "bloomery/filter/any_filter.h"
#include "bloomery/filter/filter_contents.h"
#include "bloomery/filter/filter_kinds.h"

// Other systems' schemes are kinds like our own (filter/filter_kinds.h): one line each in the .cc,
// twice.
namespace bloomery {

// Of every kind there is, our own and foreign: these are filter_kinds.h's functions of like names.
std::string_view any_kind_name(FilterKind kind);
void check_any_contents(const FilterContents& contents);
std::uint64_t any_word_count(const FilterContents& contents);
std::string_view any_hash_name(const FilterParameters& parameters);

// Bits of a line of such filters; 512 also for those without lines.
std::uint32_t foreign_line_bits(FilterKind kind) noexcept;

// A filter over words that are there already, which are not read. Throws FormatError for contents
// that none has.
AnyFilter open_foreign_as_is(const FilterContents& contents, SharedWords words);

// The same of a format that does not say how many keys were inserted: where contents.inserted is 0
// but bits are set, it is estimated from these, at 1 or more.
AnyFilter open_foreign(FilterContents contents, SharedWords words);
AnyFilter open_foreign(FilterContents contents, HeapWords words);

template <BitStorage Storage>
AnyFilter open_any(const FilterContents& contents, Storage storage) {
  if (!is_foreign(contents.parameters.kind)) return open_filter(contents, std::move(storage));
  return open_foreign_as_is(contents, SharedWords::of(std::move(storage)));
}

// An empty one. Throws std::invalid_argument where memory cannot hold it.
AnyFilter make_foreign(const FilterParameters& parameters);

// Capacity and rate for a filter whose bytes say neither: those that its size fits best, m ln 2 / k
// keys at 2^-k.
void derive_promise(FilterParameters& parameters) noexcept;

}  // namespace bloomery
