// SPDX-License-Identifier: Apache-2.0
#include "bloomery/os/file_rights.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace bloomery::os {

int keep_owner(int descriptor, Owner owner) noexcept {
  if (fchown(descriptor, owner.user, owner.group) == 0) return 0;
  if (errno == EPERM && fchown(descriptor, static_cast<uid_t>(-1), owner.group) == 0) return 0;
  return errno == EPERM || errno == EINVAL || errno == ENOSYS ? 0 : errno;
}

int set_permissions(int descriptor, std::uint32_t permissions) noexcept {
  return fchmod(descriptor, static_cast<mode_t>(permissions)) == 0 ? 0 : errno;
}

int may_create_in(int folder) noexcept {
  return faccessat(folder, ".", W_OK | X_OK, AT_EACCESS) == 0 ? 0 : errno;
}

}  // namespace bloomery::os
