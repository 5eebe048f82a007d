// SPDX-License-Identifier: Apache-2.0
#include "cli/dedup/repeatable_inputs.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "bloomery/errors.h"
#include "bloomery/source/source_location.h"

namespace bloomery::cli {
namespace {

struct stat status_of(const std::string& path, const std::string& name) {
  struct stat status {};
  if ((path.empty() ? fstat(STDIN_FILENO, &status) : stat(path.c_str(), &status)) != 0) {
    throw StoreError(name + ": cannot be read: " + std::strerror(errno));
  }
  return status;
}

bool same(const timespec& a, const timespec& b) {
  return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

bool same(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino && a.st_size == b.st_size &&
         same(a.st_mtim, b.st_mtim) && same(a.st_ctim, b.st_ctim);
}

}  // namespace

RepeatableInputs::RepeatableInputs(const std::vector<std::string>& locations) {
  for (const std::string& location : locations) {
    const SourceLocation parsed = parse_source_location(location);
    if (parsed.is_database()) {
      throw std::invalid_argument(
          (parsed.server.scheme.empty() ? location : parsed.server.name()) +
          ": --exact reads texts; a database can do it itself: " + "SELECT DISTINCT");
    }
    const std::string name = parsed.path.empty() ? "standard input" : parsed.path;
    const Input input{parsed.path, name, status_of(parsed.path, name)};
    if (S_ISDIR(input.status.st_mode)) {
      throw StoreError(name + ": cannot be read: " + std::strerror(EISDIR));
    }
    if (!S_ISREG(input.status.st_mode)) {
      throw std::invalid_argument(name + ": is no regular file and cannot be read twice, which " +
                                  "--exact does; put it into a file first, or leave out --exact");
    }
    if (parsed.path.empty()) standard_input_start_ = lseek(STDIN_FILENO, 0, SEEK_CUR);
    inputs_.push_back(input);
  }
}

void RepeatableInputs::require_unchanged() const {
  for (const Input& input : inputs_) {
    if (same(input.status, status_of(input.path, input.name))) continue;
    throw StoreError(
        input.name +
        ": changed while it was read; what --exact has printed is not to be relied on");
  }
}

void RepeatableInputs::rewind() const {
  for (const Input& input : inputs_) {
    if (!input.path.empty()) continue;
    if (lseek(STDIN_FILENO, standard_input_start_, SEEK_SET) < 0) {
      throw StoreError(input.name + ": cannot be rewound: " + std::strerror(errno));
    }
  }
}

}  // namespace bloomery::cli
