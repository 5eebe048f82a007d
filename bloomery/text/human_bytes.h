// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace bloomery {

// "1.3 GiB", for messages.
std::string human_bytes(double byte_count);

}  // namespace bloomery
