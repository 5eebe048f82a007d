// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "module/call.h"

namespace bloomery::module {

// BLOOM.LOAD key BEGIN bytes | AT offset data | COMMIT | ABORT | EMPTY head
void bloom_load(Call& call);

}  // namespace bloomery::module
