#include "bloomery/filter/filter_kinds.h"

#include <array>
#include <stdexcept>
#include <string>

namespace bloomery {
namespace {

constexpr std::array<KindName, 2> kKinds{{
    {FilterKind::blocked, "blocked"},
    {FilterKind::classic, "classic"},
}};

}  // namespace

std::span<const KindName> filter_kinds() noexcept {
  return kKinds;
}

std::string_view kind_name(FilterKind kind) {
  for (const KindName& each : kKinds) {
    if (each.kind == kind) return each.name;
  }
  throw std::invalid_argument("no filter kind has number " +
                              std::to_string(static_cast<int>(kind)));
}

FilterKind kind_named(std::string_view name) {
  std::string names;
  for (const KindName& each : kKinds) {
    if (each.name == name) return each.kind;
    names += names.empty() ? "" : ", ";
    names += each.name;
  }
  throw std::invalid_argument("no filter kind is called \"" + std::string(name) + "\"; there are " +
                              names);
}

AnyFilter make_filter(FilterKind kind, const FilterOptions& options) {
  return with_layout(kind,
                     [&]<class L>() { return AnyFilter(BasicFilter<L, HeapWords>(options)); });
}

Geometry geometry_for(FilterKind kind, const FilterOptions& options) {
  return with_layout(kind, [&]<class L>() { return L::geometry(options); });
}

void check_parameters(const FilterParameters& parameters) {
  with_layout(parameters.kind, [&]<class L>() { L::check(parameters); });
  const double rate = parameters.false_positive_rate;
  if (parameters.capacity == 0 || !(rate >= kMinRate && rate < 1)) {
    throw FormatError("impossible promise of a filter: capacity " +
                      std::to_string(parameters.capacity) + " (at least 1), rate " +
                      std::to_string(rate) + " (above 0, below 1)");
  }
}

}  // namespace bloomery
