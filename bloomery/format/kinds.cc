// SPDX-License-Identifier: Apache-2.0
#include "bloomery/format/kinds.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <string>

#include "bloomery/errors.h"
#include "bloomery/filter/filter_kinds.h"
#include "bloomery/format/format.h"

namespace bloomery {
namespace {

using KindTable = std::array<const Kind*, 256>;

KindTable table_of_kinds() noexcept {
  KindTable table{};
  const auto add = [&](const Kind& kind) { table[static_cast<std::uint8_t>(kind.number)] = &kind; };
  for (const Kind& kind : filter_kinds()) add(kind);
  for (const Format* const format : formats()) {
    for (const Kind* const kind : format->kinds) add(*kind);
  }
  return table;
}

}  // namespace

const Kind& kind_of(FilterKind number) {
  static const KindTable table = table_of_kinds();
  if (const Kind* const found = table[static_cast<std::uint8_t>(number)]) return *found;
  throw FormatError("unknown filter kind " + std::to_string(static_cast<int>(number)));
}

bool is_changed_in_place(FilterKind number) {
  const Kind& kind = kind_of(number);
  return !is_foreign(number) && !kind.counts && !kind.has_layers && !kind.forgets &&
         !kind.built_once;
}

bool loses_keys(FilterKind number) {
  const Kind& kind = kind_of(number);
  return kind.forgets || kind.counts;
}

void refuse_forgetting(const std::string& name) {
  throw std::invalid_argument(name +
                              ": its filter forgets keys or lets them be erased, so that its "
                              "\"absent\" is no promise; allow_forgetting takes it all the same");
}

void require_keeps(FilterKind number, const std::string& name) {
  if (loses_keys(number)) refuse_forgetting(name);
}

std::string_view any_hash_name(const FilterParameters& parameters) {
  return is_foreign(parameters.kind) ? kind_of(parameters.kind).hash_name
                                     : hash_name(parameters.hash.id());
}

void check_any_contents(const FilterContents& contents) {
  check_contents(kind_of(contents.parameters.kind), contents);
}

std::uint64_t any_word_count(const FilterContents& contents) {
  return kind_of(contents.parameters.kind).word_count(contents);
}

AnyFilter open_any(const FilterContents& contents, SharedWords words) {
  return open_filter(kind_of(contents.parameters.kind), contents, std::move(words));
}

AnyFilter open_foreign(FilterContents contents, SharedWords words) {
  AnyFilter filter = open_any(contents, words);
  const double keys = contents.inserted != 0 ? 0 : filter.cardinality();
  if (keys == 0) return filter;
  contents.inserted = static_cast<std::uint64_t>(std::max(1.0, std::round(keys)));
  return open_any(contents, std::move(words));
}

AnyFilter open_foreign(FilterContents contents, HeapWords words) {
  return open_foreign(std::move(contents), SharedWords::of(std::move(words)));
}

AnyFilter copy_any(const FilterContents& contents) {
  return open_any(contents, copied_words(contents));
}

AnyFilter make_foreign(const FilterParameters& parameters) {
  const FilterContents contents{.parameters = parameters};
  check_any_contents(contents);
  return open_any(contents, HeapWords(any_word_count(contents)));
}

void derive_promise(FilterParameters& parameters) noexcept {
  const Geometry& geometry = parameters.geometry;
  const double keys =
      static_cast<double>(geometry.bit_count) * std::log(2.0) / geometry.probe_count;
  parameters.capacity = static_cast<std::uint64_t>(std::max(1.0, std::round(keys)));
  parameters.false_positive_rate =
      std::max(kMinRate, std::ldexp(1.0, -static_cast<int>(geometry.probe_count)));
}

}  // namespace bloomery
