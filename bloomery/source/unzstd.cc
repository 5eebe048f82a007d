// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/unzstd.h"

#include <zstd.h>
#include <zstd_errors.h>

#include <new>
#include <utility>

#include "bloomery/errors.h"

namespace bloomery {

Unzstd::Unzstd(std::string name, std::string_view begin)
    : name_(std::move(name)), bytes_(begin), stream_(ZSTD_createDCtx()) {
  if (stream_ == nullptr) throw std::bad_alloc();
}

Unzstd::~Unzstd() {
  ZSTD_freeDCtx(stream_);
}

std::size_t Unzstd::read(char* out, std::size_t byte_count, const Read& read) {
  for (;;) {
    if (!has_more_ && !bytes_.refill(read)) {
      if (inside_frame_) throw StoreError(name_ + ": ends within its zstd stream; cut short?");
      return 0;
    }
    ZSTD_inBuffer in{bytes_.data(), bytes_.size(), 0};
    ZSTD_outBuffer room{out, byte_count, 0};
    const std::size_t result = ZSTD_decompressStream(stream_, &room, &in);
    if (ZSTD_isError(result) != 0) {
      const ZSTD_ErrorCode code = ZSTD_getErrorCode(result);
      if (code == ZSTD_error_memory_allocation) throw std::bad_alloc();
      if (code == ZSTD_error_frameParameter_windowTooLarge) {
        throw StoreError(name_ +
                         ": was compressed by zstd for more memory than the 128 MiB "
                         "allowed; zstd -dc --long=31 gives its lines");
      }
      if (code == ZSTD_error_dictionary_wrong) {
        throw StoreError(name_ +
                         ": was compressed by zstd with a dictionary; zstd -dc -D "
                         "DICTIONARY gives its lines");
      }
      throw StoreError(name_ + ": is damaged: no zstd stream goes on like this (" +
                       ZSTD_getErrorName(result) + ")");
    }
    bytes_.use(in.pos);
    inside_frame_ = result != 0;
    has_more_ = room.pos == room.size && inside_frame_;
    if (room.pos > 0) return room.pos;
    has_more_ = false;
  }
}

}  // namespace bloomery
