#include "cli/output.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "bloomery/errors.h"

namespace bloomery::cli {

Output::~Output() {
  try {
    flush();
  } catch (const StoreError&) {
    // Another error is on its way to the user, or flush() was told already.
  }
}

void Output::flush() {
  write_through(buffer_);
  buffer_.clear();
}

// The buffer first; then what is too long for it goes out from where it is.
void Output::write_beyond(std::string_view bytes) {
  flush();
  if (bytes.size() >= kBufferBytes) return write_through(bytes);
  buffer_.reserve(kBufferBytes);
  buffer_ += bytes;
}

void Output::write_through(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      const int reason = errno;
      buffer_.clear();
      throw StoreError(std::string("cannot write standard output: ") + std::strerror(reason));
    }
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace bloomery::cli
