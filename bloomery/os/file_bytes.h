// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

// The bytes of an open file, and their way to the disk. Below zero, or false: errno says why.
namespace bloomery::os {

// Read and write at an offset, and return how many bytes they did: fewer than asked may be, and 0
// at the end of a file. EINTR: a signal came first.
std::ptrdiff_t read_at(int descriptor, std::span<std::byte> to, std::uint64_t offset) noexcept;
std::ptrdiff_t write_at(int descriptor, std::span<const std::byte> bytes,
                        std::uint64_t offset) noexcept;

// Returns when the disk has all that was written; of a folder, when it has its names.
bool sync(int descriptor) noexcept;

// Makes the file empty.
bool empty(int descriptor) noexcept;

// Takes blocks of the disk for the first `byte_count` bytes, so that writing them through memory
// finds room. Returns 0, or an error's number.
int allocate(int descriptor, std::uint64_t byte_count) noexcept;

}  // namespace bloomery::os
