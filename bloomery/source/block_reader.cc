// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/block_reader.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "bloomery/source/count_records.h"
#include "bloomery/text/human_bytes.h"

namespace bloomery {
namespace {

bool has_odd_quotes(const char* from, const char* to) noexcept {
  return count_byte({from, to}, '"') % 2 != 0;
}

}  // namespace

bool BlockReader::next(Block& block) {
  if (at_end_ && carried_.empty()) return false;
  if (block.capacity_ > kBlockBytes && carried_.size() < kBlockBytes) {
    block.buffer_.reset();
    block.capacity_ = 0;
  }
  while (block.capacity_ <= carried_.size()) grow(block);
  std::size_t end = carried_.copy(block.buffer_.get(), carried_.size());
  std::size_t whole = 0;  // bytes of records that have ended
  while (whole == 0 && !at_end_) {
    if (end == block.capacity_) grow(block);
    const std::size_t got = file_.read(block.buffer_.get() + end, block.capacity_ - end);
    at_end_ = got == 0;
    whole = end_of_records(block.buffer_.get(), end, end + got);
    end += got;
    // What is under way is ended before the rest of a record is waited for.
    if (whole == 0 && !at_end_ && end < kBlockBytes && file_.would_wait()) break;
  }
  if (at_end_) whole = end;
  const char* const bytes = block.buffer_.get();
  carried_.assign(bytes + whole, end - whole);
  last_was_long_ = block.capacity_ > kBlockBytes;
  byte_count_ += whole;
  block.byte_count_ = byte_count_;
  block.text_ = {bytes, whole};
  block.is_first_ = whole > 0 && std::exchange(at_begin_, false);
  return whole > 0 || !at_end_;
}

// Behind the last separator between `from` and `to`; 0 where there is none. Everything before
// `from` was looked at. A doubled quote closes and opens again, which is the same.
std::size_t BlockReader::end_of_records(const char* bytes, std::size_t from,
                                        std::size_t to) noexcept {
  const bool counts = ends_.quotes_hold_separators;
  if (counts && has_odd_quotes(bytes + from, bytes + to)) inside_quotes_ = !inside_quotes_;
  bool inside = inside_quotes_;
  for (std::size_t end = to; end > from;) {
    const auto* const hit =
        static_cast<const char*>(memrchr(bytes + from, ends_.separator, end - from));
    if (hit == nullptr) return 0;
    if (counts && has_odd_quotes(hit, bytes + end)) inside = !inside;
    if (!inside) return static_cast<std::size_t>(hit - bytes) + 1;
    end = static_cast<std::size_t>(hit - bytes);
  }
  return 0;
}

void BlockReader::grow(Block& block) const {
  const std::size_t wanted = block.capacity_ == 0 ? kBlockBytes : 2 * block.capacity_;
  const auto too_long = [&] {
    return TooLongRecord{"is longer than " + human_bytes(static_cast<double>(block.capacity_)) +
                         ", and more does not fit in memory (the limit is " +
                         human_bytes(static_cast<double>(record_byte_limit_)) + ")"};
  };
  if (block.capacity_ > 0 && wanted > record_byte_limit_) throw too_long();
  // realloc moves pages instead of bytes once they are many.
  auto* const bytes = static_cast<char*>(std::realloc(block.buffer_.get(), wanted));
  if (bytes == nullptr && block.capacity_ == 0) throw std::bad_alloc();
  if (bytes == nullptr) throw too_long();
  static_cast<void>(block.buffer_.release());
  block.buffer_.reset(bytes);
  block.capacity_ = wanted;
}

void cut_records(std::string_view text, RecordEnds ends, std::vector<std::string_view>& records) {
  records.clear();
  const char* begin = text.data();
  const char* const end = begin + text.size();
  bool inside = false;
  for (const char* at = begin; at != end;) {
    const auto* const hit = static_cast<const char*>(
        std::memchr(at, ends.separator, static_cast<std::size_t>(end - at)));
    if (hit == nullptr) break;
    if (ends.quotes_hold_separators && std::count(at, hit, '"') % 2 != 0) inside = !inside;
    at = hit + 1;
    if (inside) continue;
    records.emplace_back(begin, static_cast<std::size_t>(hit - begin));
    begin = at;
  }
  if (begin != end) records.emplace_back(begin, static_cast<std::size_t>(end - begin));
}

}  // namespace bloomery
