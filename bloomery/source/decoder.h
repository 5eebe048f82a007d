// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>
#include <vector>

namespace bloomery {

// The text within a stream of encoded bytes: of one or several members or frames, one behind the
// other, as the formats' own programs write them.
class Decoder {
 public:
  // Reads up to `byte_count` encoded bytes, at least one; 0 only at the end.
  using Read = std::function<std::size_t(char* out, std::size_t byte_count)>;

  virtual ~Decoder() = default;

  // Writes up to `byte_count` bytes of the text, at least one; 0 only at the end. Calls `read` for
  // more where it needs more. Throws StoreError for bytes that are damaged, or end too early.
  virtual std::size_t read(char* out, std::size_t byte_count, const Read& read) = 0;
};

// Encoded bytes that were read and not used yet, for those who decode.
class EncodedBytes {
 public:
  explicit EncodedBytes(std::string_view begin);

  // Reads where none are left. False at the end.
  bool refill(const Decoder::Read& read);

  const char* data() const noexcept { return room_.data() + at_; }
  std::size_t size() const noexcept { return size_ - at_; }
  void use(std::size_t count) noexcept { at_ += count; }

 private:
  std::vector<char> room_;
  std::size_t at_ = 0;
  std::size_t size_;
};

}  // namespace bloomery
