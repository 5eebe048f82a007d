#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "bloomery/bits/heap_words.h"
#include "bloomery/filter/any_filter.h"
#include "bloomery/filter/basic_filter.h"
#include "bloomery/filter/blocked_layout.h"
#include "bloomery/filter/classic_layout.h"
#include "bloomery/filter/counting_layout.h"
#include "bloomery/filter/native_probes.h"
#include "bloomery/filter/owned_static_filter.h"
#include "bloomery/filter/parameters.h"
#include "bloomery/filter/scalable_filter.h"
#include "bloomery/filter/windowed_layout.h"

// The kinds of filter that exist: one line each in with_kind() and in filter_kinds().
namespace bloomery {

// A kind whose filters are one array, as a layout says.
template <Layout L>
struct FlatKind {
  static Geometry geometry(const FilterOptions& options) { return L::geometry(options); }
  static BasicFilter<L, HeapWords> make(const FilterParameters& parameters) {
    return {parameters, HeapWords(L::word_count(parameters)), 0};
  }

  static void check(const FilterContents& contents) { L::check(contents.parameters); }
  // Of what a file holds: parameters, counts and words, which were checked.
  static std::uint64_t word_count(const FilterContents& contents) {
    return L::word_count(contents.parameters);
  }
  template <BitStorage Storage>
  static BasicFilter<L, Storage> open(const FilterContents& contents, Storage storage) {
    if constexpr (requires { L::check_words(storage.words()); }) L::check_words(storage.words());
    return {contents.parameters, std::move(storage), contents.inserted};
  }
};

// A kind whose filters are chains that grow.
template <class F>
struct GrowingKind {
  static Geometry geometry(const FilterOptions& options) { return F::first_geometry(options); }
  static F make(const FilterParameters& parameters) { return F::make(parameters); }

  static void check(const FilterContents& contents) { F::check(contents); }
  static std::uint64_t word_count(const FilterContents& contents) {
    return F::word_count(contents.layers);
  }
  template <BitStorage Storage>
  static F open(const FilterContents& contents, Storage storage) {
    return {contents, SharedWords::of(std::move(storage))};
  }
};

struct FixedKind {
  static Geometry geometry(const FilterOptions& options) { return classic_geometry(options); }
  static OwnedStaticFilter make(const FilterParameters&) {
    throw std::invalid_argument(
        "a static filter is not made empty: it is built once, of all its keys");
  }

  static void check(const FilterContents& contents) { OwnedStaticFilter::check(contents); }
  static std::uint64_t word_count(const FilterContents& contents) {
    return OwnedStaticFilter::word_count(contents.parameters);
  }
  template <BitStorage Storage>
  static OwnedStaticFilter open(const FilterContents& contents, Storage storage) {
    return {contents, SharedWords::of(std::move(storage))};
  }
};

// Calls visit.template operator()<K>() with the type of `kind`. Throws FormatError for a number
// that is none.
template <class Visit>
decltype(auto) with_kind(FilterKind kind, Visit visit) {
  switch (kind) {
    case FilterKind::classic:
      return visit.template operator()<FlatKind<ClassicLayout<NativeProbes>>>();
    case FilterKind::blocked:
      return visit.template operator()<FlatKind<BlockedLayout>>();
    case FilterKind::counting:
      return visit.template operator()<FlatKind<CountingLayout<BlockedLayout>>>();
    case FilterKind::classic_counting:
      return visit.template operator()<FlatKind<CountingLayout<ClassicLayout<NativeProbes>>>>();
    case FilterKind::scalable:
      return visit.template operator()<GrowingKind<ScalableFilter>>();
    case FilterKind::windowed:
      return visit.template operator()<FlatKind<WindowedLayout>>();
    case FilterKind::fixed:
      return visit.template operator()<FixedKind>();
    default:
      break;  // a foreign scheme, or none
  }
  throw FormatError("unknown filter kind " + std::to_string(static_cast<int>(kind)));
}

struct KindName {
  FilterKind kind;
  std::string_view name;
  std::string_view what;  // for whom, in a few words
};

std::span<const KindName> filter_kinds() noexcept;

// Throw std::invalid_argument, listing the names, for one that is none.
std::string_view kind_name(FilterKind kind);
FilterKind kind_named(std::string_view name);

// Kinds that cannot be made empty and then filled.
constexpr bool is_built_once(FilterKind kind) noexcept {
  return kind == FilterKind::fixed;
}

// An empty filter of the kind. Throws as BasicFilter's constructor does, and std::invalid_argument
// for a kind that is built once.
AnyFilter make_filter(FilterKind kind, const FilterOptions& options);

// The geometry that make_filter would choose.
Geometry geometry_for(FilterKind kind, const FilterOptions& options);

// Throw FormatError for contents that no filter of ours has, whatever its words.
void check_contents(const FilterContents& contents);

// How many words they have. Throws FormatError for an unknown kind.
std::uint64_t stored_word_count(const FilterContents& contents);

// A filter over words that are there already: the words of `contents` itself are not looked at.
// Throws FormatError as check_contents does, and where the words are not as many as it says.
template <BitStorage Storage>
AnyFilter open_filter(const FilterContents& contents, Storage storage) {
  check_contents(contents);
  return with_kind(contents.parameters.kind, [&]<class K>() {
    if (std::as_const(storage).words().size() != stored_word_count(contents)) {
      throw FormatError("the words are not as many as the geometry says");
    }
    return AnyFilter(K::open(contents, std::move(storage)));
  });
}

}  // namespace bloomery
