// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/source/decoder.h"

struct z_stream_s;

namespace bloomery {

// How every gzip file begins (RFC 1952): two bytes of its own and deflate, its one method.
inline constexpr std::string_view kGzipMagic = "\x1f\x8b\x08";

// The bytes within a gzip stream of one or several members. Room: 64 KiB and zlib's window of
// 32 KiB, however long the stream.
class Gunzip final : public Decoder {
 public:
  // `name` is what messages call the stream; `begin` are bytes that were already read of it. Throws
  // std::bad_alloc.
  Gunzip(std::string name, std::string_view begin = {});
  ~Gunzip() override;

  std::size_t read(char* out, std::size_t byte_count, const Read& read) override;

 private:
  void next_member();

  std::string name_;
  std::vector<char> room_;  // compressed bytes
  std::unique_ptr<z_stream_s> stream_;
  bool inside_member_ = true;
  bool at_end_ = false;
};

}  // namespace bloomery
