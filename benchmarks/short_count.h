// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace bloomery::bench {

// "100 thousand", "10 million", "1 billion"; other numbers as they are.
std::string short_count(std::uint64_t count);

}  // namespace bloomery::bench
