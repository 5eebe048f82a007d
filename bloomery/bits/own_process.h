// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace bloomery {

// How many forks lie between this process and the first that asked: a number that a child does not
// share with its parent, for the price of a load.
std::uint64_t process_number() noexcept;

// While it lives, a child of fork() does not have this descriptor: its number stays taken there,
// but by nothing. So a child neither keeps the lock of the file nor writes to it. (One that is born
// otherwise, by a bare clone, has it.)
class UnsharedDescriptor {
 public:
  // Throws std::bad_alloc.
  explicit UnsharedDescriptor(int descriptor);
  UnsharedDescriptor(UnsharedDescriptor&& other) noexcept;
  UnsharedDescriptor& operator=(UnsharedDescriptor&& other) noexcept;
  ~UnsharedDescriptor();

 private:
  int descriptor_;
};

}  // namespace bloomery
