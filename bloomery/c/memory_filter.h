#pragma once

#include <memory>

#include "bloomery/c/held_filter.h"

namespace bloomery::c {

// A filter in memory. `says_form`: its form was chosen, and no key of another may come.
std::unique_ptr<HeldFilter> hold_in_memory(AnyFilter filter, bool says_form);

}  // namespace bloomery::c
