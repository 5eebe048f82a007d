// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/unxz.h"

#include <lzma.h>

#include <cstdint>
#include <new>
#include <utility>

#include "bloomery/errors.h"

namespace bloomery {
namespace {

constexpr std::uint64_t kMostMemory = std::uint64_t{256} << 20;

}  // namespace

struct Unxz::Stream {
  lzma_stream of = LZMA_STREAM_INIT;
};

Unxz::Unxz(std::string name, std::string_view begin)
    : name_(std::move(name)), bytes_(begin), stream_(std::make_unique<Stream>()) {
  if (lzma_stream_decoder(&stream_->of, kMostMemory, LZMA_CONCATENATED) != LZMA_OK) {
    throw std::bad_alloc();
  }
}

Unxz::~Unxz() {
  lzma_end(&stream_->of);
}

std::size_t Unxz::read(char* out, std::size_t byte_count, const Read& read) {
  lzma_stream& stream = stream_->of;
  while (!is_over_) {
    const bool has_more = bytes_.refill(read);
    stream.next_in = reinterpret_cast<const std::uint8_t*>(bytes_.data());
    stream.avail_in = bytes_.size();
    stream.next_out = reinterpret_cast<std::uint8_t*>(out);
    stream.avail_out = byte_count;
    const lzma_ret result = lzma_code(&stream, has_more ? LZMA_RUN : LZMA_FINISH);
    bytes_.use(bytes_.size() - stream.avail_in);
    if (result == LZMA_MEM_ERROR) throw std::bad_alloc();
    if (result == LZMA_MEMLIMIT_ERROR) {
      throw StoreError(name_ +
                       ": was compressed by xz for more memory than the 256 MiB allowed; "
                       "xz -dc gives its lines");
    }
    is_over_ = result == LZMA_STREAM_END;
    if (result == LZMA_BUF_ERROR && !has_more) {
      throw StoreError(name_ + ": ends within its xz stream; cut short?");
    }
    if (result != LZMA_OK && result != LZMA_STREAM_END && result != LZMA_BUF_ERROR) {
      throw StoreError(name_ + ": is damaged: no xz stream goes on like this (error " +
                       std::to_string(result) + " of liblzma)");
    }
    if (const std::size_t got = byte_count - stream.avail_out; got > 0) return got;
  }
  return 0;
}

}  // namespace bloomery
