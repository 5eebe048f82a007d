// SPDX-License-Identifier: Apache-2.0
#include "bloomery/os/file_rights.h"

#include "bloomery/os/windows/owner_only.h"

namespace bloomery::os {

int keep_owner(int, Owner) noexcept {
  return 0;
}

int set_permissions(int descriptor, std::uint32_t permissions) noexcept {
  if ((permissions & 077) != 0) return 0;
  OwnerOnly rights;
  return rights.is_made() ? rights.give_to(handle_of(descriptor)) : errno;
}

// open_folder() asked for this right.
int may_create_in(int) noexcept {
  return 0;
}

}  // namespace bloomery::os
