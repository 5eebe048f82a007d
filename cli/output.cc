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
  std::string_view rest = buffer_;
  while (!rest.empty()) {
    const ssize_t written = ::write(descriptor_, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      const int reason = errno;
      buffer_.clear();
      throw StoreError(std::string("cannot write standard output: ") + std::strerror(reason));
    }
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  buffer_.clear();
}

void Output::make_room(std::size_t byte_count) {
  flush();
  buffer_.reserve(byte_count > kBufferBytes ? byte_count : kBufferBytes);
}

}  // namespace bloomery::cli
