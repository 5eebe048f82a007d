// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "module/call.h"

// How copies of a filter elsewhere are made and kept in step.
namespace bloomery::module {

// BLOOM.READ key offset bytes: a piece of the filter, as a native file whose table says nothing.
void bloom_read(Call& call);
// BLOOM.DELTA key SINCE name sequence [BLOCK milliseconds]: the hashes of what came since.
void bloom_delta(Call& call);

}  // namespace bloomery::module
