// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

// The words of this layer's errors.
namespace bloomery {

// StoreError "FILE: cannot STEP: what the system says".
[[noreturn]] void throw_store_error(const std::filesystem::path& path, std::string_view step,
                                    int error_number);

// StoreError and FormatError "FILE: REASON".
[[noreturn]] void throw_store_error(const std::filesystem::path& path, std::string_view reason);
[[noreturn]] void throw_format_error(const std::filesystem::path& path, std::string_view reason);

// BusyError: another process is writing the file, or shares it.
[[noreturn]] void throw_busy(const std::filesystem::path& path);

}  // namespace bloomery
