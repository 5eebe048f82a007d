// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace bloomery {

// 1234567 as "1,234,567".
std::string grouped(std::uint64_t number);

}  // namespace bloomery
