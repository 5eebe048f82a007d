// SPDX-License-Identifier: Apache-2.0
#include "bloomery/os/own_process.h"

// No process is the child of a fork(), and no file is given to processes that this one starts.
namespace bloomery {

std::uint64_t process_number() noexcept {
  return 0;
}

UnsharedDescriptor::UnsharedDescriptor(int descriptor) : descriptor_(descriptor) {}
UnsharedDescriptor::UnsharedDescriptor(UnsharedDescriptor&& other) noexcept = default;
UnsharedDescriptor& UnsharedDescriptor::operator=(UnsharedDescriptor&& other) noexcept = default;
UnsharedDescriptor::~UnsharedDescriptor() = default;

}  // namespace bloomery
