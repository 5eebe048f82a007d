// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/gunzip.h"

#include <zlib.h>

#include <algorithm>
#include <limits>
#include <new>

#include "bloomery/errors.h"

namespace bloomery {
namespace {

constexpr std::size_t kRoomBytes = 64 * 1024;
constexpr int kGzipWithLargestWindow = 15 + 16;  // zlib's words for inflateInit2

}  // namespace

Gunzip::Gunzip(std::string name, std::string_view begin)
    : name_(std::move(name)),
      room_(std::max(kRoomBytes, begin.size())),
      stream_(std::make_unique<z_stream_s>()) {
  std::ranges::copy(begin, room_.begin());
  stream_->next_in = reinterpret_cast<Bytef*>(room_.data());
  stream_->avail_in = static_cast<uInt>(begin.size());
  if (inflateInit2(stream_.get(), kGzipWithLargestWindow) != Z_OK) throw std::bad_alloc();
}

Gunzip::~Gunzip() {
  inflateEnd(stream_.get());
}

std::size_t Gunzip::read(char* out, std::size_t byte_count, const Read& read) {
  const auto wanted =
      static_cast<uInt>(std::min<std::size_t>(byte_count, std::numeric_limits<uInt>::max()));
  while (!at_end_) {
    if (stream_->avail_in == 0) {
      stream_->next_in = reinterpret_cast<Bytef*>(room_.data());
      stream_->avail_in = static_cast<uInt>(read(room_.data(), room_.size()));
      if (stream_->avail_in == 0) {
        at_end_ = true;
        if (inside_member_) throw StoreError(name_ + ": ends within its gzip stream; cut short?");
        break;
      }
    }
    if (!inside_member_) next_member();
    if (!inside_member_) continue;
    stream_->next_out = reinterpret_cast<Bytef*>(out);
    stream_->avail_out = wanted;
    const int result = inflate(stream_.get(), Z_NO_FLUSH);
    if (result == Z_MEM_ERROR) throw std::bad_alloc();
    if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR) {
      at_end_ = true;
      throw StoreError(name_ + ": is damaged: no gzip stream goes on like this" +
                       (stream_->msg == nullptr ? "" : " (" + std::string(stream_->msg) + ")"));
    }
    inside_member_ = result != Z_STREAM_END;
    if (const std::size_t got = wanted - stream_->avail_out; got > 0) return got;
  }
  return 0;
}

// Behind a member stands another, or zeros up to the end of a block of a tape.
void Gunzip::next_member() {
  while (stream_->avail_in > 0 && *stream_->next_in == 0) {
    ++stream_->next_in;
    --stream_->avail_in;
  }
  if (stream_->avail_in == 0) return;
  inflateReset(stream_.get());
  inside_member_ = true;
}

}  // namespace bloomery
