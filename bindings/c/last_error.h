// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace bloomery::c {

// What bloomery_status() and bloomery_message() tell of this thread's last failure.
void remember(int status, const char* message) noexcept;
// Of the exception that is being handled. Returns the status.
int remember_exception() noexcept;

}  // namespace bloomery::c
