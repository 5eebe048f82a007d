// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bloomery/place/watermark.h"

namespace bloomery {

// Returns the number of this start of this machine: what is in the memory of one is in no other's.
// Throws StoreError where the system does not say.
Identity boot_id();

}  // namespace bloomery
