// SPDX-License-Identifier: Apache-2.0
#include "bloomery/format/native/native_reader.h"

#include <algorithm>
#include <utility>

#include "bloomery/errors.h"
#include "bloomery/format/kinds.h"
#include "bloomery/format/native/crc32c.h"
#include "bloomery/format/native/file_layout.h"
#include "bloomery/text/grouped.h"

namespace bloomery {
namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 60;  // counters of 2^60 positions

// Copies the part of `piece` that lies in `place`, which begins at byte `begin` of the file; the
// piece begins at byte `at`.
void copy_overlap(std::span<const std::byte> piece, std::uint64_t at, std::span<std::byte> place,
                  std::uint64_t begin) {
  const std::uint64_t from = std::max(at, begin);
  const std::uint64_t to = std::min(at + piece.size(), begin + place.size());
  if (from < to) {
    std::ranges::copy(piece.subspan(from - at, to - from), place.subspan(from - begin).begin());
  }
}

}  // namespace

NativeReader::NativeReader(std::uint64_t byte_count) : byte_count_(byte_count) {
  if (byte_count < kBodyAlignment) {
    throw FormatError("no filter is " + grouped(byte_count) + " bytes: the head alone has " +
                      grouped(kBodyAlignment));
  }
  if (byte_count > kMostBytes) {
    throw FormatError("no filter is " + grouped(byte_count) + " bytes");
  }
}

void NativeReader::take_head() {
  header_ = decode_head(head_, byte_count_);
  if (header_->open_for_writing) {
    throw FormatError("not closed cleanly: a writer had the file open, or died while it had");
  }
  if (header_->is_live) throw FormatError(std::string(why_not_whole(*header_)));
  const FileLayout& layout = header_->layout;
  words_ = HeapWords(layout.body_bytes / sizeof(std::uint64_t));
  table_.resize(layout.block_count);
  checksums_.resize(layout.block_count);
}

// Bytes from `at` on; what of them is the head is no matter.
void NativeReader::take_rest(std::span<const std::byte> piece, std::uint64_t at) {
  const FileLayout& layout = header_->layout;
  copy_overlap(piece, at, std::as_writable_bytes(words_.words()), layout.body_offset);
  copy_overlap(piece, at, std::as_writable_bytes(std::span(table_)), layout.table_offset);
  const std::uint64_t end = std::min(at + piece.size(), layout.table_offset);
  for (std::uint64_t from = std::max(at, layout.body_offset); from < end;) {
    const std::uint64_t block = (from - layout.body_offset) / kBlockBytes;
    const std::uint64_t to = std::min(end, layout.block_end(block));
    checksums_[block] = crc32c(piece.subspan(from - at, to - from), checksums_[block]);
    from = to;
  }
}

void NativeReader::take(std::span<const std::byte> piece) {
  if (piece.size() > byte_count_ - taken_) {
    throw FormatError(grouped(piece.size()) + " bytes more, where " +
                      grouped(byte_count_ - taken_) + " are missing");
  }
  if (!header_) {
    const std::uint64_t wanted = std::min(byte_count_, kMaxHeadBytes);
    const auto part = piece.first(std::min<std::uint64_t>(piece.size(), wanted - head_.size()));
    head_.insert(head_.end(), part.begin(), part.end());
    taken_ += part.size();
    piece = piece.subspan(part.size());
    if (head_.size() < wanted) return;
    take_head();
    take_rest(head_, 0);
    head_.resize(header_->layout.body_offset);
  }
  take_rest(piece, taken_);
  taken_ += piece.size();
}

void NativeReader::give(const ByteSink& sink) const {
  std::uint64_t left = taken_;
  const auto give_part = [&](std::span<const std::byte> part) {
    part = part.first(std::min<std::uint64_t>(part.size(), left));
    if (!part.empty()) sink(part);
    left -= part.size();
  };
  give_part(head_);
  give_part(std::as_bytes(words_.words()));
  give_part(std::as_bytes(std::span(table_)));
}

AnyFilter NativeReader::finish(std::function<std::uint64_t()> clock) {
  if (taken_ < byte_count_) {
    throw FormatError("incomplete: " + grouped(taken_) + " of " + grouped(byte_count_) + " bytes");
  }
  const auto damaged = std::ranges::mismatch(checksums_, table_).in1;
  if (damaged != checksums_.end()) {
    throw FormatError("damaged: checksum of body block " +
                      grouped(static_cast<std::uint64_t>(damaged - checksums_.begin())) +
                      " does not match");
  }
  header_->contents.parameters.window.clock = std::move(clock);
  return open_any(header_->contents, std::move(words_));
}

}  // namespace bloomery
