// SPDX-License-Identifier: Apache-2.0
#include "bloomery/os/event_file.h"

#include <sys/eventfd.h>

namespace bloomery::os {

FileDescriptor open_event_file() noexcept {
  return FileDescriptor(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
}

void signal_event(int descriptor) noexcept {
  eventfd_write(descriptor, 1);
}

}  // namespace bloomery::os
