// SPDX-License-Identifier: Apache-2.0
#include "bloomery/filter/parameters.h"

#include <stdexcept>

namespace bloomery {
namespace {

template <class T>
std::string differ(const char* what, T a, T b) {
  return std::string(what) + " " + std::to_string(a) + " and " + std::to_string(b);
}

}  // namespace

std::string merge_problem(const FilterParameters& into, const FilterParameters& from) {
  FilterParameters others = from;
  if (!into.keys.is_known() || !from.keys.is_known()) others.keys = into.keys;
  return incompatibility(into, others);
}

std::string incompatibility(const FilterParameters& a, const FilterParameters& b) {
  if (a.kind != b.kind) return "the filters are of different kinds";
  if (a.geometry.bit_count != b.geometry.bit_count) {
    return differ("the filters have bit counts", a.geometry.bit_count, b.geometry.bit_count);
  }
  if (a.geometry.probe_count != b.geometry.probe_count) {
    return differ("the filters have probe counts", a.geometry.probe_count, b.geometry.probe_count);
  }
  if (a.geometry.lines_per_key != b.geometry.lines_per_key) {
    return differ("the filters have lines a key", a.geometry.lines_per_key,
                  b.geometry.lines_per_key);
  }
  if (a.growth != b.growth) return "the filters grow differently";
  if (a.window != b.window) return "the filters have different windows";
  if (a.foreign_options != b.foreign_options) {
    return differ("the filters have options", a.foreign_options, b.foreign_options);
  }
  if (a.keys != b.keys) {
    return "the keys of one filter are " + form_text(a.keys) + " and those of the other " +
           form_text(b.keys);
  }
  if (a.hash.id() != b.hash.id()) {
    if (a.hash.secret() || b.hash.secret()) return "one filter is secret and the other is not";
    return "one filter hashes texts by " + std::string(hash_name(a.hash.id())) +
           " and the other by " + std::string(hash_name(b.hash.id()));
  }
  if (a.hash.seed() != b.hash.seed()) {
    return differ("the filters have seeds", a.hash.seed(), b.hash.seed());
  }
  if (a.hash != b.hash) return "the filters have different secret keys";
  return {};
}

FilterParameters parameters_for(FilterKind kind, const Geometry& geometry,
                                const FilterOptions& options) {
  if (options.hash == HashId::fold && !may_fold(kind) && !options.secret) {
    throw std::invalid_argument(
        "hash fold is for blocked filters; allowed here: product, aes, xxh3");
  }
  return {.kind = kind,
          .hash = options.secret ? NativeHash(SecretKey::random())
                                 : NativeHash(options.hash, options.seed),
          .geometry = geometry,
          .capacity = options.capacity,
          .false_positive_rate = options.false_positive_rate,
          .growth = kind == FilterKind::scalable ? options.growth : Growth{},
          .window = options.window,
          .keys = options.keys};
}

}  // namespace bloomery
