// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bloomery/os/windows/system_calls.h"

// Files that their owner alone may use, and administrators, who may do anything.
namespace bloomery::os {

// A list of rights for such a file, which takes over none of its folder.
class OwnerOnly {
 public:
  OwnerOnly() noexcept;

  // False: errno says why, and there is no list.
  bool is_made() const noexcept { return is_made_; }
  // Attributes for a new file, which live as long as this object.
  SECURITY_ATTRIBUTES attributes() noexcept;
  // Gives them to a file that exists, and was opened with WRITE_DAC. Returns 0 or an error's
  // number.
  int give_to(HANDLE file) noexcept;

 private:
  alignas(void*) unsigned char user_[256];
  alignas(void*) unsigned char list_[512];
  SECURITY_DESCRIPTOR descriptor_;
  bool is_made_ = false;
};

// Returns whether a file is its owner's and administrators' alone, or takes over no rights of its
// folder: somebody restricted it. The file was opened with READ_CONTROL.
bool is_restricted(HANDLE file) noexcept;

}  // namespace bloomery::os
