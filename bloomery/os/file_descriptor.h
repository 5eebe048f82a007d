// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

namespace bloomery {

namespace os {
// Closes an open file.
void close_file(int descriptor) noexcept;
}  // namespace os

// Owns an open file descriptor, or none (-1). Closing reports nothing: what must not be lost was
// synced before.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int number) noexcept : number_(number) {}
  FileDescriptor(FileDescriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~FileDescriptor() {
    if (number_ >= 0) os::close_file(number_);
  }

  int number() const noexcept { return number_; }
  bool is_open() const noexcept { return number_ >= 0; }

 private:
  int number_ = -1;
};

}  // namespace bloomery
