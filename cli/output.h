#pragma once

#include <string>
#include <string_view>

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

  void write(std::string_view bytes) {
    if (buffer_.size() + bytes.size() > kBufferBytes) return write_beyond(bytes);
    buffer_ += bytes;
  }
  void write(char byte) { write(std::string_view(&byte, 1)); }

  // Every command's last call, and that after each batch of what it reads: a slow pipe is not
  // waited for. Throws StoreError.
  void flush();

 private:
  static constexpr std::size_t kBufferBytes = 64 * 1024;

  void write_beyond(std::string_view bytes);
  void write_through(std::string_view bytes);

  int descriptor_ = 1;
  std::string buffer_;
};

}  // namespace bloomery::cli
