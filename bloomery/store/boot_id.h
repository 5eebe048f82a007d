// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bloomery/place/watermark.h"

namespace bloomery {

// Which start of which machine this is: what is in the memory of one is in no other's. Throws
// StoreError where the system does not say.
Identity boot_id();

}  // namespace bloomery
