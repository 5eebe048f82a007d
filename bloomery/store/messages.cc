// SPDX-License-Identifier: Apache-2.0
#include "bloomery/store/messages.h"

#include <cerrno>
#include <system_error>

#include "bloomery/errors.h"
#include "bloomery/os/own_locks.h"
#include "bloomery/text/printable.h"
#include "bloomery/text/secrets.h"

namespace bloomery {
namespace {

// A file's name may hold what would end a message, or drive a terminal.
std::string about(const std::filesystem::path& path, std::string_view reason) {
  return without_secrets(without_controls(path.string())) + ": " + std::string(reason);
}

}  // namespace

void throw_store_error(const std::filesystem::path& path, std::string_view step, int error_number) {
  const std::string reason =
      "cannot " + std::string(step) + ": " + std::generic_category().message(error_number);
  throw FileError(about(path, reason), error_number, path.string());
}

void throw_exists(const std::filesystem::path& path) {
  throw FileError(about(path, "already exists"), EEXIST, path.string());
}

void throw_other_sort(const std::filesystem::path& path, std::string_view reason,
                      bool is_directory) {
  throw FileError(about(path, reason), is_directory ? EISDIR : EINVAL, path.string());
}

void throw_store_error(const std::filesystem::path& path, std::string_view reason) {
  throw StoreError(about(path, reason));
}

void throw_busy(const std::filesystem::path& path) {
  const char* const who = os::is_locked_here(path) ? "this" : "another";
  throw BusyError(about(path, std::string(who) + " process is writing this file, or shares it"));
}

void throw_format_error(const std::filesystem::path& path, std::string_view reason) {
  throw FormatError(about(path, reason));
}

}  // namespace bloomery
