// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>

// What the C interface throws beside the library, and never out of it.
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
