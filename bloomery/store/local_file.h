// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bloomery/store/regular_file.h"

namespace bloomery {

// Throws StoreError for a file whose pages are not one memory for all processes of the machine, or
// not of this machine alone: those of network file systems, and of programs (FUSE).
void require_local(const RegularFile& file);

// Returns whether the first who opens the file for writing may go on with a copy of it, of the same
// name and number, while whoever has it open for reading stays with the old one in memory
// (overlayfs).
bool is_copied_by_writers(const RegularFile& file);

}  // namespace bloomery
