// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "bloomery/filter/filter_contents.h"

namespace bloomery {

// Other systems' bytes have no checksums, and a bitmap that was cut, or zero-filled in part, is
// still one: of its keys many are then "absent". Where hashes spread keys evenly, a long run of
// zeros among bits that are set says so; what would come about by chance less often than once in
// 10^12 filters is told as a sentence. Empty for all else, also for schemes whose hashes leave gaps
// of their own. Reads every bit.
std::string gap_advice(const FilterContents& contents);

}  // namespace bloomery
