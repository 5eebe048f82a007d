// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "cli/output_thread.h"

namespace bloomery::cli {

// Standard output through a buffer whose every failure is seen: a full disk is a StoreError, not
// lost lines.
class Output {
 public:
  Output() = default;
  explicit Output(int descriptor) : descriptor_(descriptor) {}
  // Writes what is left as well as it can, for the lines before an error; only flush() can say that
  // it failed.
  ~Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  // Lets a thread write, from here on, what is handed on, while this one goes on. What it could not
  // write is thrown by a later call, at the latest by flush().
  void write_beside();

  void write(std::string_view bytes) {
    if (buffer_.size() + bytes.size() > kBufferBytes) return write_beyond(bytes);
    buffer_ += bytes;
  }
  void write(char byte) { write(std::string_view(&byte, 1)); }

  // Hands on what was written, so that nothing is held back: called after each batch of what a
  // command reads, which may wait for the next. Throws StoreError.
  void hand_on();

  // Every command's last call: all is written when it returns. Throws StoreError.
  void flush();

  // Returns whether all that was handed on is written before so much time has passed. While nobody
  // hands on more, another thread may ask.
  bool is_written_within(std::chrono::milliseconds time);

 private:
  static constexpr std::size_t kBufferBytes = 64 * 1024;

  void write_beyond(std::string_view bytes);

  int descriptor_ = 1;
  std::string buffer_;
  std::optional<OutputThread> thread_;
};

}  // namespace bloomery::cli
