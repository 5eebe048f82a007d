// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "bloomery/filter/solve.h"

namespace bloomery::cli {

// A filter by the usual formulas, which every calculator of the net computes and no filter can be:
//   m = -n ln p / (ln 2)^2      k = m/n ln 2      p = (1 - e^(-kn/m))^k
// Bits and probes may be fractions.
struct Textbook {
  double capacity = 0;
  double bit_count = 0;
  double probe_count = 0;

  double rate_at(double keys) const;
};

// Computes what is missing; nothing if what is given does not fix the rest. If capacity and rate
// are given, they count.
std::optional<Textbook> textbook(const Known& known);

}  // namespace bloomery::cli
