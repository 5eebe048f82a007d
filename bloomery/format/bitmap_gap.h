// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "bloomery/filter/filter_contents.h"

namespace bloomery {

// Says, as a sentence, where a bitmap has a run of zeros that would come about by chance less often
// than once in 10^12 filters; empty where there is none, and for schemes whose hashes leave gaps of
// their own. Other systems' bytes have no checksums: a bitmap that was cut, or zero-filled in part,
// is still a bitmap, and many of its keys are "absent". Hashes that spread keys evenly leave no
// long run of zeros among bits that are set. Reads every bit.
std::string gap_advice(const FilterContents& contents);

}  // namespace bloomery
