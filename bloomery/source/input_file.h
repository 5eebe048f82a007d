// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "bloomery/source/encoding.h"

namespace bloomery {

// A file, a pipe or standard input, open for reading. Owns its descriptor, except the standard one.
// What begins as a file of gzip, zstd or xz does is read uncompressed, and UTF-16 with a byte order
// mark as UTF-8. All failures are StoreErrors that name the
// file and the system's reason.
class InputFile {
 public:
  // Waits for a writer where the path is a FIFO. A directory is refused here, not at the first
  // read.
  static InputFile open(const std::string& path);
  static InputFile standard_input();

  // Takes over an open descriptor; `name` is what messages call it.
  InputFile(int descriptor, std::string name);
  ~InputFile();
  InputFile(InputFile&& other) noexcept;
  InputFile& operator=(InputFile&& other) noexcept;

  // Reads up to `byte_count` bytes, at least one; 0 only at the end. Goes on after an interrupting
  // signal.
  std::size_t read(char* out, std::size_t byte_count);

  // Reads from `offset` bytes after the position that the file had at the beginning. Moves nothing,
  // and gives the bytes as they stand there, encoded or not. Regular files only.
  std::size_t read_at(std::uint64_t offset, char* out, std::size_t byte_count) const;

  // The first bytes that read() gives, up to `byte_count`, moving nothing. Regular files only.
  std::string begin(std::size_t byte_count) const;

  // Returns whether read() may have to wait for whoever writes a pipe or types.
  bool would_wait() const noexcept;

  // Back to the place where the file stood when it came here. Throws where that cannot be: a pipe.
  void restart();

  const std::string& name() const noexcept { return name_; }
  bool is_regular() const noexcept { return is_regular_; }

  // The encoding of a regular file. A pipe is called plain: read() alone finds out.
  Encoded encoded() const noexcept { return is_regular_ ? encoded_ : Encoded::plain; }

  // Bytes in a regular file, by its present length, encoded or not.
  std::optional<std::uint64_t> byte_count() const;

 private:
  [[noreturn]] void fail(const char* what) const;
  std::size_t read_raw(char* out, std::size_t byte_count);
  void look_at_begin();

  int descriptor_ = -1;
  std::string name_;
  bool is_regular_ = false;
  Encoded encoded_ = Encoded::plain;
  bool is_begun_ = false;
  std::uint64_t start_ = 0;
  std::string ahead_;                 // read, and not handed out
  std::unique_ptr<Decoder> decoder_;  // where it is encoded, and begun
};

}  // namespace bloomery
