// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace bloomery {

// How a ScalableFilter grows. Every new layer makes it hold `expansion` times as many keys as
// before (sixteen times while that is no more than 20,000 keys), and gets what `tightening` leaves
// of the rate: see next_layer.h.
struct Growth {
  double expansion = 2;
  double tightening = 0.85;

  friend bool operator==(const Growth&, const Growth&) = default;
};

}  // namespace bloomery
