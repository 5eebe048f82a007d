#pragma once

#include "bloomery/store/regular_file.h"

namespace bloomery {

// Throws StoreError for a file whose pages are not one memory for all processes of the machine, or
// not of this machine alone: those of network file systems, and of programs (FUSE).
void require_local(const RegularFile& file);

}  // namespace bloomery
