#pragma once

namespace bloomery {

// How a ScalableFilter grows. Every new layer makes it hold `expansion` times as many keys as
// before, and gets what `tightening` leaves of the rate: see scalable_filter.h.
struct Growth {
  double expansion = 1.5;
  double tightening = 0.9;

  friend bool operator==(const Growth&, const Growth&) = default;
};

}  // namespace bloomery
