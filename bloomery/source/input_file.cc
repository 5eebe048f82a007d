// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/input_file.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string_view>
#include <system_error>
#include <utility>

#include "bloomery/errors.h"

namespace bloomery {
namespace {

[[noreturn]] void fail_with(const std::string& name, const char* what, int error) {
  throw StoreError(name + ": " + what + ": " + std::generic_category().message(error));
}

constexpr std::size_t kReadAtOnce = 64 * 1024;

// Calls a function of the system until a signal no longer interrupts it.
template <class Call>
auto uninterrupted(Call call) {
  for (;;) {
    const auto result = call();
    if (result >= 0 || errno != EINTR) return result;
  }
}

}  // namespace

InputFile InputFile::open(const std::string& path) {
  const int descriptor =
      uninterrupted([&] { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY); });
  if (descriptor < 0) fail_with(path, "cannot be opened", errno);
  return {descriptor, path};
}

InputFile InputFile::standard_input() {
  return {STDIN_FILENO, "standard input"};
}

InputFile::InputFile(int descriptor, std::string name)
    : descriptor_(descriptor), name_(std::move(name)) {
  struct stat status {};
  int error = fstat(descriptor_, &status) != 0 ? errno : 0;
  if (error == 0 && S_ISDIR(status.st_mode)) error = EISDIR;
  if (error != 0) {
    if (descriptor_ > STDERR_FILENO) ::close(descriptor_);
    fail_with(name_, "cannot be read", error);
  }
  is_regular_ = S_ISREG(status.st_mode);
  if (!is_regular_) return;
  const off_t start = lseek(descriptor_, 0, SEEK_CUR);
  start_ = start > 0 ? static_cast<std::uint64_t>(start) : 0;
  posix_fadvise(descriptor_, 0, 0, POSIX_FADV_SEQUENTIAL);
  std::array<char, kEncodedBytes> begin{};
  const ssize_t got = ::pread(descriptor_, begin.data(), begin.size(), start > 0 ? start : 0);
  if (got > 0) encoded_ = encoded_as({begin.data(), static_cast<std::size_t>(got)});
}

InputFile::~InputFile() {
  if (descriptor_ > STDERR_FILENO) ::close(descriptor_);
}

InputFile::InputFile(InputFile&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      name_(std::move(other.name_)),
      is_regular_(other.is_regular_),
      encoded_(other.encoded_),
      is_begun_(other.is_begun_),
      start_(other.start_),
      ahead_(std::move(other.ahead_)),
      decoder_(std::move(other.decoder_)) {}

InputFile& InputFile::operator=(InputFile&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(name_, other.name_);
  std::swap(is_regular_, other.is_regular_);
  std::swap(encoded_, other.encoded_);
  std::swap(is_begun_, other.is_begun_);
  std::swap(start_, other.start_);
  std::swap(ahead_, other.ahead_);
  std::swap(decoder_, other.decoder_);
  return *this;
}

std::size_t InputFile::read(char* out, std::size_t byte_count) {
  if (!std::exchange(is_begun_, true)) look_at_begin();
  if (decoder_ != nullptr) {
    return decoder_->read(out, byte_count, [this](char* room, std::size_t room_bytes) {
      return read_raw(room, room_bytes);
    });
  }
  if (ahead_.empty()) return read_raw(out, byte_count);
  const std::size_t count = ahead_.copy(out, byte_count);
  ahead_.erase(0, count);
  return count;
}

// Finds out the encoding of a pipe. It waits for no more bytes than tell plain from encoded ones. A
// regular file's encoding is known already, and a terminal's bytes are plain.
void InputFile::look_at_begin() {
  const bool is_unknown = !is_regular_ && isatty(descriptor_) == 0;
  while (is_unknown && encoded_ == Encoded::plain && may_be_encoded(ahead_)) {
    std::string room(kReadAtOnce, '\0');
    const std::size_t got = read_raw(room.data(), room.size());
    if (got == 0) break;
    ahead_.append(room, 0, got);
    // Two bytes are a mark of UTF-16, and with two zeros more one of UTF-32.
    if (ahead_.size() >= 4) encoded_ = encoded_as(ahead_);
  }
  if (is_unknown && encoded_ == Encoded::plain) encoded_ = encoded_as(ahead_);
  decoder_ = make_decoder(encoded_, name_, ahead_);
  if (decoder_ != nullptr) ahead_.clear();
}

std::size_t InputFile::read_raw(char* out, std::size_t byte_count) {
  for (;;) {
    const ssize_t got = uninterrupted([&] { return ::read(descriptor_, out, byte_count); });
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EAGAIN) fail("cannot be read");
    // A program that shares the pipe or terminal may have made it non-blocking.
    pollfd until_written{.fd = descriptor_, .events = POLLIN, .revents = 0};
    poll(&until_written, 1, -1);
  }
}

std::size_t InputFile::read_at(std::uint64_t offset, char* out, std::size_t byte_count) const {
  const auto place = static_cast<off_t>(start_ + offset);
  const ssize_t got = uninterrupted([&] { return ::pread(descriptor_, out, byte_count, place); });
  if (got < 0) fail("cannot be read");
  return static_cast<std::size_t>(got);
}

std::string InputFile::begin(std::size_t byte_count) const {
  std::uint64_t offset = 0;
  const auto read_next = [&](char* out, std::size_t room) {
    const std::size_t got = read_at(offset, out, room);
    offset += got;
    return got;
  };
  const auto decoder = make_decoder(encoded_, name_);
  std::string bytes(byte_count, '\0');
  std::size_t size = 0;
  while (size < byte_count) {
    char* const out = bytes.data() + size;
    const std::size_t got = decoder == nullptr ? read_next(out, byte_count - size)
                                               : decoder->read(out, byte_count - size, read_next);
    if (got == 0) break;
    size += got;
  }
  bytes.resize(size);
  return bytes;
}

bool InputFile::would_wait() const noexcept {
  if (is_regular_) return false;
  // The encoded bytes at hand may not be enough for one byte of the text.
  if (decoder_ != nullptr) return true;
  pollfd here{descriptor_, POLLIN, 0};
  return ahead_.empty() && poll(&here, 1, 0) == 0;
}

void InputFile::restart() {
  if (!is_regular_) throw StoreError(name_ + ": is no regular file and cannot be read twice");
  if (lseek(descriptor_, static_cast<off_t>(start_), SEEK_SET) < 0) fail("cannot be rewound");
  is_begun_ = false;
  decoder_.reset();
}

std::optional<std::uint64_t> InputFile::byte_count() const {
  if (!is_regular_) return std::nullopt;
  struct stat status {};
  if (fstat(descriptor_, &status) != 0) fail("cannot be read");
  const auto length = static_cast<std::uint64_t>(status.st_size);
  return length > start_ ? length - start_ : 0;
}

void InputFile::fail(const char* what) const {
  fail_with(name_, what, errno);
}

}  // namespace bloomery
