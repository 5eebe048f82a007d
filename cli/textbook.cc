// SPDX-License-Identifier: Apache-2.0
#include "cli/textbook.h"

#include <cmath>
#include <numbers>

namespace bloomery::cli {

double Textbook::rate_at(double keys) const {
  return std::pow(-std::expm1(-probe_count * keys / bit_count), probe_count);
}

std::optional<Textbook> textbook(const Known& known) {
  using std::numbers::ln2;
  Textbook found;
  found.capacity = static_cast<double>(known.capacity.value_or(0));
  found.bit_count = static_cast<double>(known.bit_count.value_or(0));
  found.probe_count = known.probe_count.value_or(0);
  const double rate = known.false_positive_rate.value_or(0);
  if (known.capacity && known.false_positive_rate) {
    found.bit_count = -found.capacity * std::log(rate) / (ln2 * ln2);
  } else if (known.false_positive_rate && known.bit_count) {
    found.capacity = found.bit_count * ln2 * ln2 / -std::log(rate);
  } else if (known.capacity && known.probe_count && !known.bit_count) {
    found.bit_count = found.capacity * found.probe_count / ln2;
  } else if (known.bit_count && known.probe_count && !known.capacity) {
    found.capacity = found.bit_count * ln2 / found.probe_count;
  } else if (!known.capacity || !known.bit_count) {
    return std::nullopt;
  }
  const bool is_asked = known.probe_count && !known.false_positive_rate;
  if (!is_asked) found.probe_count = found.bit_count / found.capacity * ln2;
  return found;
}

}  // namespace bloomery::cli
