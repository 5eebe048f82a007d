// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

// The exceptions that the library throws, by meaning. Wrong arguments are std::invalid_argument.
// Questions about keys never throw. Every message says what was wrong, where, and what is allowed.
namespace bloomery {

// Bytes that are not the format they should be: damaged, cut short, from a newer version, or
// something else.
struct FormatError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Filters that do not mean the same by a bit, and so cannot be merged or exchanged.
struct IncompatibleError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The place where a filter lives failed: a file, a disk, a lock, a server.
struct StoreError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// An error of the system about one file: its number, as errno has it, and the file's path.
struct FileError : StoreError {
  // `number`: as errno has it.
  FileError(const std::string& message, int number, std::string file)
      : StoreError(message), error_number(number), path(std::move(file)) {}

  int error_number;  // as errno has it
  std::string path;  // of the file
};

}  // namespace bloomery
