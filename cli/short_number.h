// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace bloomery::cli {

// Four significant digits: "0.01235".
std::string short_number(double value, int digits = 4);

}  // namespace bloomery::cli
