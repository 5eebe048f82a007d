#include "bloomery/filter/filter_kinds.h"

#include <array>
#include <stdexcept>
#include <string>

namespace bloomery {
namespace {

constexpr std::array kKinds{
    KindName{FilterKind::blocked, "blocked", "the fastest, and the default"},
    KindName{FilterKind::classic, "classic", "the smallest"},
    KindName{FilterKind::counting, "counting", "keys can be erased"},
    KindName{FilterKind::classic_counting, "classic-counting", "the same, smallest"},
    KindName{FilterKind::scalable, "scalable", "grows with its keys"},
    KindName{FilterKind::windowed, "windowed", "keys are forgotten after a while"},
    KindName{FilterKind::fixed, "static", "built once, by load; the smallest of all"},
};

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
  return with_kind(kind, [&]<class K>() {
    return AnyFilter(K::make(parameters_for(kind, K::geometry(options), options)));
  });
}

Geometry geometry_for(FilterKind kind, const FilterOptions& options) {
  return with_kind(kind, [&]<class K>() { return K::geometry(options); });
}

void check_contents(const FilterContents& contents) {
  const FilterParameters& parameters = contents.parameters;
  const double rate = parameters.false_positive_rate;
  if (parameters.capacity == 0 || !(rate >= kMinRate && rate < 1)) {
    throw FormatError("impossible promise of a filter: capacity " +
                      std::to_string(parameters.capacity) + " (at least 1), rate " +
                      std::to_string(rate) + " (above 0, below 1)");
  }
  with_kind(parameters.kind, [&]<class K>() { K::check(contents); });
}

std::uint64_t stored_word_count(const FilterContents& contents) {
  return with_kind(contents.parameters.kind, [&]<class K>() { return K::word_count(contents); });
}

}  // namespace bloomery
