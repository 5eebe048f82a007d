// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace bloomery::c {

// Keeps this thread's last failure for bloomery_status() and bloomery_message(), and, where the
// system failed, for bloomery_error_number() and bloomery_error_path().
void remember(int status, const char* message, int error_number = 0,
              const char* path = "") noexcept;
// Keeps the exception that is being handled as this thread's last failure. Returns its status.
int remember_exception() noexcept;

}  // namespace bloomery::c
