// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "bloomery/bits/heap_words.h"
#include "bloomery/bits/shared_words.h"
#include "bloomery/filter/any_filter.h"
#include "bloomery/filter/filter_contents.h"
#include "bloomery/filter/kind.h"

// Every kind there is: our own, and those that some format holds (Format::kinds).
namespace bloomery {

// The kind that a number in a file means. Throws FormatError for a number that means none.
const Kind& kind_of(FilterKind number);

// check_contents() and word_count() of filter_kinds.h, for kinds of other systems, too.
void check_any_contents(const FilterContents& contents);
std::uint64_t any_word_count(const FilterContents& contents);

// Returns whether an insert only ever sets bits of one array, so that no crash between two of them
// leaves a wrong answer: files of the kind can be mapped read-write.
bool is_changed_in_place(FilterKind number);

// Returns whether keys of the kind's filters go again: by themselves, or erased.
bool loses_keys(FilterKind number);
// Throw std::invalid_argument, for those and for any: their "absent" is no promise.
void require_keeps(FilterKind number, const std::string& name);
[[noreturn]] void refuse_forgetting(const std::string& name);

// "HighwayHash-128" for filters of ours that are secret, else as the kind says.
std::string_view any_hash_name(const FilterParameters& parameters);

// A filter over words that are there already, which are not read. Throws FormatError for contents
// that none has.
AnyFilter open_any(const FilterContents& contents, SharedWords words);
template <BitStorage Storage>
AnyFilter open_any(const FilterContents& contents, Storage storage) {
  return open_any(contents, SharedWords::of(std::move(storage)));
}

// Opens a filter of a format that does not say how many keys were inserted. If contents.inserted is
// 0 and bits are set, the count is estimated from the bits, as 1 or more.
AnyFilter open_foreign(FilterContents contents, SharedWords words);
AnyFilter open_foreign(FilterContents contents, HeapWords words);

// A copy in memory of our own. May run beside insert_concurrently(): keys that were inserted before
// the call are in it.
AnyFilter copy_any(const FilterContents& contents);

// An empty one. Throws std::invalid_argument where memory cannot hold it.
AnyFilter make_foreign(const FilterParameters& parameters);

// Capacity and rate for a filter whose bytes say neither: those that its size fits best, m ln 2 / k
// keys at 2^-k.
void derive_promise(FilterParameters& parameters) noexcept;

}  // namespace bloomery
