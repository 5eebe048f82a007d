// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

struct z_stream_s;

namespace bloomery {

// How every gzip file begins (RFC 1952): two bytes of its own and deflate, its one method.
inline constexpr std::string_view kGzipMagic = "\x1f\x8b\x08";

// The bytes within a gzip stream of one or several members. Room: 64 KiB and zlib's window of
// 32 KiB, however long the stream.
class Gunzip {
 public:
  // Up to so many compressed bytes, at least one; 0 only at the end.
  using Read = std::function<std::size_t(char* out, std::size_t byte_count)>;

  // `name` is what messages call the stream; `begin` are bytes that were already read of it. Throws
  // std::bad_alloc.
  Gunzip(std::string name, std::string_view begin = {});
  ~Gunzip();

  // Up to `byte_count` bytes, at least one; 0 only at the end. Calls `read` for more, once where
  // that gives any. Throws StoreError for bytes that are no gzip stream, or that end within one.
  std::size_t read(char* out, std::size_t byte_count, const Read& read);

 private:
  void next_member();

  std::string name_;
  std::vector<char> room_;  // compressed bytes
  std::unique_ptr<z_stream_s> stream_;
  bool inside_member_ = true;
  bool at_end_ = false;
};

}  // namespace bloomery
