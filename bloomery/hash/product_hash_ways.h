// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bloomery/hash/product_hash.h"

namespace bloomery {

// `kProductAvx512` is in a file of its own that is compiled for such processors.
extern const ProductWay kProductAvx512;

}  // namespace bloomery
