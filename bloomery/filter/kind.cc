// SPDX-License-Identifier: Apache-2.0
#include "bloomery/filter/kind.h"

#include <string>
#include <utility>

#include "bloomery/errors.h"
#include "bloomery/filter/any_filter.h"

namespace bloomery {

void check_contents(const Kind& kind, const FilterContents& contents) {
  const FilterParameters& parameters = contents.parameters;
  const double rate = parameters.false_positive_rate;
  // Other systems promise rates that we would not.
  const bool is_kept = is_foreign(kind.number) ? rate > 0 : rate >= kMinRate;
  if (parameters.capacity == 0 || !is_kept || !(rate < 1)) {
    throw FormatError("impossible promise of a filter: capacity " +
                      std::to_string(parameters.capacity) + " (at least 1), rate " +
                      std::to_string(rate) + " (above 0, below 1)");
  }
  kind.check(contents);
}

AnyFilter open_filter(const Kind& kind, const FilterContents& contents, SharedWords words) {
  check_contents(kind, contents);
  if (std::as_const(words).words().size() != kind.word_count(contents)) {
    throw FormatError("the words are not as many as the geometry says");
  }
  return kind.open(contents, std::move(words));
}

}  // namespace bloomery
