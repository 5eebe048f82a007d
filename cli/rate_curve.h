// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/options.h"
#include "cli/terminal.h"

namespace bloomery::cli {

// The rate of a filter, by how full it is: `rate_at(load)`, where at a load of 1 it holds its
// capacity.
struct RateCurve {
  std::string name;
  std::function<double(double load)> rate_at;
};

// LoadNow: where a filter stands on its curve.
struct LoadNow {
  double load = 0;        // 0: empty, and not drawn
  double rate = 0;        // of its bits, which know of keys that the curve does not
  bool is_about = false;  // the load is an estimate
};

// Draws for a terminal: a bar for each of some loads up to `most`, and one for `now`.
std::string curve_text(const RateCurve& curve, const Terminal& terminal, double most = 2,
                       const LoadNow& now = {});

// Draws all the curves in one picture for a page, the rate in powers of ten, as an SVG document.
std::string curves_svg(const std::string& title, const std::vector<RateCurve>& curves);

// --svg FILE.
Option add_svg(Command command, std::string& file);

// Writes what add_svg() asked for, whole or not at all; what is there is replaced. Throws
// StoreError.
void write_svg(const std::string& file, const std::string& svg);

}  // namespace bloomery::cli
