// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bloomery/os/file_descriptor.h"

// A file that poll() waits for. Windows waits for no such files: there is none.
namespace bloomery::os {

// Not open: errno says why.
FileDescriptor open_event_file() noexcept;

// Lets it be read from now on.
void signal_event(int descriptor) noexcept;

}  // namespace bloomery::os
