// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "bloomery/source/input_file.h"

namespace bloomery {

// How many records a text has: separators, and one more where the last record has none
// after it. Reads the whole file without moving its position, at the speed of memory, or
// of the decoder where it is compressed; by several threads where it is long and plain. Throws
// StoreError unless it is a regular file.
std::uint64_t count_records(const InputFile& file, char separator = '\n', unsigned threads = 1);

// How often `byte` occurs.
std::uint64_t count_byte(std::span<const char> bytes, char byte) noexcept;

}  // namespace bloomery
