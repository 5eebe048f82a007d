// SPDX-License-Identifier: Apache-2.0
#include "bloomery/filter/filter_kinds.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>

#include "bloomery/errors.h"
#include "bloomery/filter/blocked_layout.h"
#include "bloomery/filter/classic_layout.h"
#include "bloomery/filter/counting_layout.h"
#include "bloomery/filter/make_kind.h"
#include "bloomery/filter/native_probes.h"
#include "bloomery/filter/scalable_filter.h"
#include "bloomery/filter/sizing.h"
#include "bloomery/filter/windowed_layout.h"

namespace bloomery {
namespace {

using Classic = ClassicLayout<NativeProbes>;

constexpr std::string_view kHash = hash_name(HashId::product);

constexpr Kind static_kind(FilterKind number, std::string_view name, std::string_view what) {
  Kind kind{.number = number, .name = name, .hash_name = kHash, .what = what, .built_once = true};
  kind.compares = number == FilterKind::fuse;
  kind.geometry = classic_geometry;
  kind.check = OwnedStaticFilter::check;
  kind.word_count = [](const FilterContents& contents) {
    return OwnedStaticFilter::word_count(contents.parameters);
  };
  kind.make = [](const FilterParameters&) -> AnyFilter {
    throw std::invalid_argument(
        "a static filter is not made empty: it is built once, of all its keys");
  };
  kind.open = [](const FilterContents& contents, SharedWords words) {
    return AnyFilter(OwnedStaticFilter(contents, std::move(words)));
  };
  return kind;
}

// In the order in which users read them.
constexpr std::array kKinds{
    flat_kind<BlockedLayout>({"blocked", kHash, "the fastest, and the default"}),
    flat_kind<Classic>({"classic", kHash, "smaller, and slower"}),
    flat_kind<CountingLayout<BlockedLayout>>({"counting", kHash, "keys can be erased"}),
    flat_kind<CountingLayout<Classic>>({"classic-counting", kHash, "counting, smaller and slower"}),
    chain_kind<ScalableFilter>({"scalable", kHash, "grows with its keys"}),
    flat_kind<WindowedLayout>({"windowed", kHash, "keys are forgotten after a while"}),
    static_kind(FilterKind::fixed, "static", "built once, by load; the smallest of all"),
    static_kind(FilterKind::fuse, "fuse", "made by static if it is smaller"),
};

const Kind* find(FilterKind number) noexcept {
  const auto* const found = std::ranges::find(kKinds, number, &Kind::number);
  return found == kKinds.end() ? nullptr : found;
}

const Kind& own_kind(FilterKind number) {
  if (const Kind* const found = find(number)) return *found;
  throw FormatError("unknown filter kind " + std::to_string(static_cast<int>(number)));
}

}  // namespace

std::span<const Kind> filter_kinds() noexcept {
  return kKinds;
}

std::string_view kind_name(FilterKind kind) {
  if (const Kind* const found = find(kind)) return found->name;
  throw std::invalid_argument("no filter kind has number " +
                              std::to_string(static_cast<int>(kind)));
}

FilterKind kind_named(std::string_view name) {
  std::string names;
  for (const Kind& each : kKinds) {
    if (each.name == name) return each.number;
    names += names.empty() ? "" : ", ";
    names += each.name;
  }
  throw std::invalid_argument("no filter kind is called \"" + std::string(name) + "\"; there are " +
                              names);
}

bool is_built_once(FilterKind kind) noexcept {
  const Kind* const found = find(kind);
  return found != nullptr && found->built_once;
}

AnyFilter make_filter(FilterKind number, const FilterOptions& options) {
  const Kind& kind = own_kind(number);
  return kind.make(parameters_for(number, kind.geometry(options), options));
}

Geometry geometry_for(FilterKind kind, const FilterOptions& options) {
  return own_kind(kind).geometry(options);
}

AnyFilter open_filter(const FilterContents& contents, SharedWords words) {
  return open_filter(own_kind(contents.parameters.kind), contents, std::move(words));
}

}  // namespace bloomery
