#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "bloomery/bits/heap_words.h"
#include "bloomery/filter/any_filter.h"
#include "bloomery/filter/blocked_layout.h"
#include "bloomery/filter/classic_layout.h"
#include "bloomery/filter/native_probes.h"
#include "bloomery/filter/parameters.h"

// The kinds of filter that exist: one line each in with_layout() and in filter_kinds().
namespace bloomery {

// Calls visit.template operator()<L>() with the layout of `kind`. Throws FormatError for a number
// that is none.
template <class Visit>
decltype(auto) with_layout(FilterKind kind, Visit visit) {
  switch (kind) {
    case FilterKind::classic:
      return visit.template operator()<ClassicLayout<NativeProbes>>();
    case FilterKind::blocked:
      return visit.template operator()<BlockedLayout>();
  }
  throw FormatError("unknown filter kind " + std::to_string(static_cast<int>(kind)));
}

struct KindName {
  FilterKind kind;
  std::string_view name;
};

std::span<const KindName> filter_kinds() noexcept;

// Throw std::invalid_argument, listing the names, for one that is none.
std::string_view kind_name(FilterKind kind);
FilterKind kind_named(std::string_view name);

// An empty filter of the kind. Throws as BasicFilter's constructor does.
AnyFilter make_filter(FilterKind kind, const FilterOptions& options);

// The geometry that make_filter would choose.
Geometry geometry_for(FilterKind kind, const FilterOptions& options);

// A filter over bits that are there already. Throws FormatError for parameters that no filter of
// ours has, or where the words are not as many as they say.
template <BitStorage Storage>
AnyFilter open_filter(const FilterParameters& parameters, Storage storage, std::uint64_t inserted);

void check_parameters(const FilterParameters& parameters);

template <BitStorage Storage>
AnyFilter open_filter(const FilterParameters& parameters, Storage storage, std::uint64_t inserted) {
  check_parameters(parameters);
  if (std::as_const(storage).words().size() != parameters.geometry.bit_count / kWordBits) {
    throw FormatError("the words are not as many as the geometry says");
  }
  return with_layout(parameters.kind, [&]<class L>() {
    return AnyFilter(BasicFilter<L, Storage>(parameters, std::move(storage), inserted));
  });
}

}  // namespace bloomery
