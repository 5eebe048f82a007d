// SPDX-License-Identifier: Apache-2.0
#include "cli/short_number.h"

#include <fmt/format.h>

namespace bloomery::cli {

std::string short_number(double value, int digits) {
  return fmt::format("{:.{}g}", value, digits);
}

}  // namespace bloomery::cli
