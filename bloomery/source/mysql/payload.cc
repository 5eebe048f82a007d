// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/mysql/payload.h"

#include <zstd.h>

#include <algorithm>
#include <new>

#include "bloomery/place/fence_source.h"
#include "bloomery/source/mariadb/binlog_event.h"
#include "bloomery/source/mariadb/byte_cursor.h"

namespace bloomery::mysql {
namespace {

constexpr std::uint64_t kEndOfHeader = 0;
constexpr std::uint64_t kPayloadBytes = 1;
constexpr std::uint64_t kCompression = 2;
constexpr std::uint64_t kPlainBytes = 3;
constexpr std::uint64_t kZstd = 0;
constexpr std::uint64_t kNone = 255;

constexpr std::size_t kPiece = std::size_t{128} << 10;
// No event is larger than max_allowed_packet can be, and a little.
constexpr std::uint64_t kMostOfEvent = (std::uint64_t{1} << 30) + (std::uint64_t{1} << 20);
constexpr std::size_t kLengthAt = 9;  // in an event's header

[[noreturn]] void refuse() {
  throw SourceChanged("a compressed transaction of the binary log is damaged");
}

}  // namespace

Payload::Payload(std::string_view body) {
  mariadb::ByteCursor cursor(body);
  std::uint64_t compression = kNone;
  std::optional<std::uint64_t> plain_bytes;
  std::optional<std::uint64_t> payload_bytes;
  for (std::uint64_t field = cursor.packed_number(); field != kEndOfHeader;
       field = cursor.packed_number()) {
    mariadb::ByteCursor value(cursor.take(cursor.packed_number()));
    if (field == kPayloadBytes) payload_bytes = value.packed_number();
    if (field == kCompression) compression = value.packed_number();
    if (field == kPlainBytes) plain_bytes = value.packed_number();
  }
  rest_ = cursor.rest();
  if (payload_bytes && *payload_bytes != rest_.size()) refuse();
  if (compression != kZstd && compression != kNone) {
    throw SourceChanged("a transaction of the binary log is compressed in an unknown way (" +
                        std::to_string(compression) + ")");
  }
  is_compressed_ = compression == kZstd;
  if (is_compressed_ && !plain_bytes) refuse();
  left_ = plain_bytes.value_or(rest_.size());
  if (!is_compressed_) return;
  context_.reset(ZSTD_createDCtx());
  if (context_ == nullptr) throw std::bad_alloc();
}

Payload::~Payload() = default;

void Payload::Free::operator()(ZSTD_DCtx_s* context) const noexcept {
  ZSTD_freeDCtx(context);
}

bool Payload::fill(std::size_t byte_count) {
  while (plain_.size() < byte_count) {
    const std::size_t before = plain_.size();
    if (left_ == 0) {
      if (before > 0) refuse();
      return false;  // what is left of the frame has no content
    }
    const std::size_t piece = static_cast<std::size_t>(std::min<std::uint64_t>(kPiece, left_));
    std::size_t made = 0;
    if (is_compressed_) {
      plain_.resize(before + piece);
      ZSTD_inBuffer in{rest_.data(), rest_.size(), 0};
      ZSTD_outBuffer out{plain_.data() + before, piece, 0};
      const std::size_t code = ZSTD_decompressStream(context_.get(), &out, &in);
      if (ZSTD_isError(code) != 0 || (out.pos == 0 && in.pos == 0)) refuse();
      rest_.remove_prefix(in.pos);
      made = out.pos;
    } else {
      made = std::min(piece, rest_.size());
      if (made == 0) refuse();
      plain_.append(rest_.substr(0, made));
      rest_.remove_prefix(made);
    }
    plain_.resize(before + made);
    left_ -= made;
  }
  return true;
}

std::optional<std::string_view> Payload::next() {
  plain_.erase(0, used_);
  used_ = 0;
  if (!fill(mariadb::kEventHeaderBytes)) return std::nullopt;
  const std::uint64_t length =
      mariadb::ByteCursor(std::string_view(plain_).substr(kLengthAt)).number(4);
  const bool is_possible = length >= mariadb::kEventHeaderBytes && length <= kMostOfEvent &&
                           length <= plain_.size() + left_;
  if (!is_possible) refuse();
  fill(static_cast<std::size_t>(length));
  used_ = static_cast<std::size_t>(length);
  return std::string_view(plain_).substr(0, used_);
}

}  // namespace bloomery::mysql
