// SPDX-License-Identifier: Apache-2.0
#include "bloomery/bits/late_library.h"

#include <string>

#include "bloomery/errors.h"
#include "bloomery/os/loaded_library.h"

namespace bloomery {

void* LateLibrary::loaded() const {
  void* handle = handle_.load(std::memory_order_acquire);
  if (handle != nullptr) return handle;
  // Two threads that load it at once get the same.
  std::string why;
  handle = os::load_library(file_, why);
  if (handle == nullptr) {
    throw StoreError(std::string(purpose_) + " needs " + file_ + " of the package " + package_ +
                     ", which cannot be loaded" + (why.empty() ? "" : ": " + why));
  }
  handle_.store(handle, std::memory_order_release);
  return handle;
}

void* LateLibrary::find(const char* function) const {
  void* const found = os::find_function(loaded(), function);
  if (found == nullptr) {
    throw StoreError(std::string(purpose_) + " needs a newer package " + package_ + ": its " +
                     file_ + " has no function " + function);
  }
  return found;
}

}  // namespace bloomery
