// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "bloomery/errors.h"

// The words of this layer's errors.
namespace bloomery {

// BusyError: another process writes the file now, or shares it; later it may be free.
struct BusyError : StoreError {
  using StoreError::StoreError;
};

// FileError "FILE: cannot STEP: what the system says".
[[noreturn]] void throw_store_error(const std::filesystem::path& path, std::string_view step,
                                    int error_number);

// FileError "FILE: already exists".
[[noreturn]] void throw_exists(const std::filesystem::path& path);

// FileError "FILE: REASON", of a file that is none of the sort that is wanted.
[[noreturn]] void throw_other_sort(const std::filesystem::path& path, std::string_view reason,
                                   bool is_directory);

// StoreError and FormatError "FILE: REASON".
[[noreturn]] void throw_store_error(const std::filesystem::path& path, std::string_view reason);
[[noreturn]] void throw_format_error(const std::filesystem::path& path, std::string_view reason);

// BusyError: another process is writing the file, or shares it; or this one does, and says so.
[[noreturn]] void throw_busy(const std::filesystem::path& path);

}  // namespace bloomery
