#pragma once

#include <functional>
#include <memory>

#include "bloomery/c/held_filter.h"
#include "bloomery/filter/filter_place.h"

namespace bloomery::c {

// A filter where it lives. `load` reads all of it into memory; `says_form`: it says itself how
// its keys are written, though its kind is another system's.
std::unique_ptr<HeldFilter> hold_place(std::unique_ptr<FilterPlace> place,
                                       std::function<AnyFilter()> load, bool says_form);

}  // namespace bloomery::c
