// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace bloomery {

// How many bytes of these words the kernel keeps in huge pages, by AnonHugePages in
// /proc/self/smaps; nothing where it does not say. Huge pages are counted by mapping: where the
// words share one with others, theirs may be counted in. Reads every mapping of the process, which
// takes the longer the more pages they have.
std::optional<std::uint64_t> huge_page_byte_count(std::span<const std::uint64_t> words);

}  // namespace bloomery
