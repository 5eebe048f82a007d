// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "bindings/c/held_filter.h"

namespace bloomery::c {

// Known says what is known of a filter before anybody looks at its bits.
enum class Known {
  nothing,
  form,      // it was chosen, and no key of another may come
  is_empty,  // it was made just now; to see it takes as long as reading all of it
};

// A filter in memory.
std::unique_ptr<HeldFilter> hold_in_memory(AnyFilter filter, Known known);

}  // namespace bloomery::c
