// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace bloomery::c {

// What bloomery_status() and bloomery_message() tell of this thread's last failure; and, where the
// system failed, bloomery_error_number() and bloomery_error_path().
void remember(int status, const char* message, int error_number = 0,
              const char* path = "") noexcept;
// Of the exception that is being handled. Returns the status.
int remember_exception() noexcept;

}  // namespace bloomery::c
