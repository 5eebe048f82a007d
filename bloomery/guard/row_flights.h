// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "bloomery/guard/single_flight.h"

namespace bloomery {

// Flights that carry a row, or that there is none.
template <class Value>
using RowFlights = SingleFlight<std::optional<Value>>;

}  // namespace bloomery
