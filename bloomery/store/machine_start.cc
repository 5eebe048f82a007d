// SPDX-License-Identifier: Apache-2.0
#include "bloomery/store/machine_start.h"

#include <charconv>
#include <string>
#include <system_error>

#include "bloomery/errors.h"
#include "bloomery/os/boot_id.h"

namespace bloomery {
namespace {

constexpr std::size_t kDigits = 16;  // of each half

}  // namespace

Identity boot_id() {
  std::string digits;
  try {
    digits = os::boot_id();
  } catch (const std::system_error& error) {
    throw StoreError(error.what());
  }
  std::erase(digits, '-');
  Identity boot;
  const char* const middle = digits.data() + kDigits;
  const bool is_read =
      digits.size() == 2 * kDigits &&
      std::from_chars(digits.data(), middle, boot.high, 16).ptr == middle &&
      std::from_chars(middle, middle + kDigits, boot.low, 16).ptr == middle + kDigits;
  if (!is_read || !boot.is_set()) {
    throw StoreError(std::string(os::kBootIdSource) +
                     " does not say which start of the machine this is, and a shared filter must "
                     "know it");
  }
  return boot;
}

}  // namespace bloomery
