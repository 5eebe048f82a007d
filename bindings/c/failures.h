// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>

// Exceptions that the C interface throws beside the library's, and never out of itself.
namespace bloomery::c {

// Keys of another form than the filter's: whatever it said of them would be of other keys.
struct WrongKeys : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// An insert failed before, and nobody acknowledged it: keys may be missing.
struct InDoubt : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace bloomery::c
