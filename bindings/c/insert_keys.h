// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "bindings/c/filter_handle.h"
#include "bloomery/c/bloomery.h"

namespace bloomery::c {

// All keys into the filter; `outcomes` may be null. Returns how many were added. Where
// this throws, any part of them may be in.
std::size_t insert_keys(bloomery_filter& filter, const bloomery_keys& keys, std::uint8_t* outcomes);

// answers[i] of key i; they come in as BLOOMERY_UNKNOWN.
void ask_keys(const bloomery_filter& filter, const bloomery_keys& keys, std::uint8_t* answers,
              const CallContext& context);

}  // namespace bloomery::c
