// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "bloomery/source/input_file.h"

namespace bloomery::cli {

// How many records a regular file has, near enough to size a filter by and rather too many than too
// few: its length by the records of a megabyte of it, taken in pieces from all over the file, and a
// margin of a twentieth or three standard errors. Exact up to a megabyte. Moves no file position.
// Throws StoreError where the file cannot be read.
std::uint64_t estimate_records(const InputFile& file, char separator);

}  // namespace bloomery::cli
