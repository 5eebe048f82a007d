// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "bindings/c/held_filter.h"
#include "bloomery/place/filter_place.h"

namespace bloomery::c {

struct PlaceFacts {
  bool says_form = false;    // how its keys are written, though its kind is another system's
  bool writes_file = false;  // which a child of fork() must not do
};

// A filter where it lives.
std::unique_ptr<HeldFilter> hold_place(std::unique_ptr<FilterPlace> place, const PlaceFacts& facts);

}  // namespace bloomery::c
