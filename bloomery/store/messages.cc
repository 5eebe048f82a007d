// SPDX-License-Identifier: Apache-2.0
#include "bloomery/store/messages.h"

#include <system_error>

#include "bloomery/errors.h"
#include "bloomery/store/writer_lock.h"
#include "bloomery/text/printable.h"

namespace bloomery {
namespace {

// A file's name may hold what would end a message, or drive a terminal.
std::string about(const std::filesystem::path& path, std::string_view reason) {
  return without_controls(path.string()) + ": " + std::string(reason);
}

}  // namespace

void throw_store_error(const std::filesystem::path& path, std::string_view step, int error_number) {
  throw_store_error(
      path, "cannot " + std::string(step) + ": " + std::generic_category().message(error_number));
}

void throw_store_error(const std::filesystem::path& path, std::string_view reason) {
  throw StoreError(about(path, reason));
}

void throw_busy(const std::filesystem::path& path) {
  throw BusyError(about(path, "another process is writing this file, or shares it"));
}

void throw_format_error(const std::filesystem::path& path, std::string_view reason) {
  throw FormatError(about(path, reason));
}

}  // namespace bloomery
