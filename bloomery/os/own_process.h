// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace bloomery {

// How many forks lie between this process and the first that asked: a number that a child does not
// share with its parent, for the price of a load.
std::uint64_t process_number() noexcept;

// Keeps a descriptor from children of fork() while it lives: in a child the number stays taken, and
// leads to nothing. So a child neither keeps the lock of the file nor writes to it. (A child that
// is born by a bare clone has the descriptor.)
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
