// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>

// The use of time and memory by processes, as the kernel counts it.
namespace bloomery::follow_bench {

// Processor time since it began, with all of its children, those that have ended too.
double processor_seconds(pid_t process);
// The most memory that it ever had.
std::uint64_t peak_bytes(pid_t process);

}  // namespace bloomery::follow_bench
