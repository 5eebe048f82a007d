// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>

#include "bindings/c/calls.h"
#include "bindings/c/filter_handle.h"
#include "bloomery/c/bloomery.h"
#include "bloomery/format/kinds.h"

// The calls that say what a filter is, beside bloomery_info().
namespace bloomery::c {
namespace {

bool is_overfilled(const bloomery_filter& filter) {
  const Kind& kind = kind_of(filter.held().parameters().kind);
  if (kind.has_layers || kind.forgets || kind.built_once) return false;
  return filter.held().inserted() > filter.held().capacity();
}

// Returns whether both filters mean the same by a bit, and by what people write.
bool mean_same(const FilterParameters& a, const FilterParameters& b) {
  return a.kind == b.kind && a.hash == b.hash && a.geometry == b.geometry && a.growth == b.growth &&
         a.window == b.window && a.foreign_options == b.foreign_options &&
         a.foreign_data == b.foreign_data && a.keys == b.keys;
}

bool same_layers(const std::vector<Layer>& a, const std::vector<Layer>& b) {
  return std::ranges::equal(a, b, {}, &Layer::geometry, &Layer::geometry);
}

bool are_equal(const bloomery_filter& a, const bloomery_filter& b) {
  if (&a == &b) return true;
  bool result = false;
  // A copy, so that nobody holds two filters at once.
  const AnyFilter copy = b.copy();
  const FilterContents others = copy.contents();
  a.look([&](const FilterContents& own) {
    result = mean_same(own.parameters, others.parameters) &&
             same_layers(own.layers, others.layers) &&
             std::ranges::equal(own.words, others.words,
                                [](auto x, auto y) { return std::ranges::equal(x, y); });
  });
  return result;
}

// 1 or 0, or the status of what was thrown.
int truth_of(const auto& call) noexcept {
  bool result = false;
  const int status = status_of([&] { result = call(); });
  return status == BLOOMERY_OK ? int{result} : status;
}

}  // namespace
}  // namespace bloomery::c

using namespace bloomery::c;  // the calls are its outside

extern "C" {

int bloomery_overfilled(const bloomery_filter* filter) {
  return truth_of([&] { return is_overfilled(need(filter)); });
}

int bloomery_in_doubt(const bloomery_filter* filter) {
  return truth_of([&] { return need(filter).trusted(BLOOMERY_ABSENT) != BLOOMERY_ABSENT; });
}

int bloomery_equal(const bloomery_filter* a, const bloomery_filter* b) {
  return truth_of([&] { return are_equal(need(a), need(b)); });
}

uint64_t bloomery_memory(const bloomery_filter* filter) {
  return result_of(std::numeric_limits<uint64_t>::max(),
                   [&] { return need(filter).held().memory_bytes(); });
}

char* bloomery_place(const bloomery_filter* filter) {
  return result_of<char*>(nullptr, [&] { return malloc_text(need(filter).held().place_name()); });
}

}  // extern "C"
