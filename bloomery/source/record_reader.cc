#include "bloomery/source/record_reader.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <stdexcept>
#include <string>

#include "bloomery/bits/memory_limit.h"

namespace bloomery {
namespace {

// Small enough to stay in the second-level cache from the read to the last look at a record.
constexpr std::size_t kBlockBytes = 256 * 1024;

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

}  // namespace

RecordReader::RecordReader(InputFile& file, char separator, std::uint64_t record_byte_limit,
                           Quotes quotes)
    : file_(file), separator_(separator), record_byte_limit_(record_byte_limit), quotes_(quotes) {}

std::span<const std::string_view> RecordReader::next() {
  for (;;) {
    char* const bytes = buffer_.get();
    std::size_t count = 0;
    while (count < kBatchRecords && scanned_ < end_) {
      const auto* hit =
          static_cast<const char*>(std::memchr(bytes + scanned_, separator_, end_ - scanned_));
      const char* const looked_up_to = hit == nullptr ? bytes + end_ : hit;
      const bool quoted = is_quoted_up_to(bytes + scanned_, looked_up_to);
      if (hit == nullptr) {
        scanned_ = end_;
        break;
      }
      if (quoted) {
        scanned_ = static_cast<std::size_t>(hit - bytes) + 1;
        continue;
      }
      const auto stop = static_cast<std::size_t>(hit - bytes);
      records_[count++] = {bytes + begin_, stop - begin_};
      begin_ = scanned_ = stop + 1;
    }
    if (count > 0) return hand_out(count, bytes + begin_);
    if (at_end_) {
      if (begin_ == end_) return {};
      records_[0] = {bytes + begin_, end_ - begin_};
      begin_ = end_;
      return hand_out(1, bytes + end_);
    }
    refill();
  }
}

std::span<const std::string_view> RecordReader::hand_out(std::size_t count,
                                                         const char* up_to) noexcept {
  record_count_ += count;
  byte_count_ += static_cast<std::uint64_t>(up_to - records_[0].data());
  const bool is_first = record_count_ == count;
  if (is_first && separator_ == '\n' && records_[0].starts_with(kByteOrderMark)) {
    records_[0].remove_prefix(kByteOrderMark.size());
    had_byte_order_mark_ = true;
  }
  return std::span(records_).first(count);
}

// Whether `to` is between quotes, where everything before `from` was looked at. A doubled quote
// closes and opens again, which is the same.
bool RecordReader::is_quoted_up_to(const char* from, const char* to) noexcept {
  if (quotes_ == Quotes::mean_nothing) return false;
  if (std::count(from, to, '"') % 2 != 0) inside_quotes_ = !inside_quotes_;
  return inside_quotes_;
}

// Reads behind the unfinished record, which moves to the front.
void RecordReader::refill() {
  if (begin_ > 0) {
    std::memmove(buffer_.get(), buffer_.get() + begin_, end_ - begin_);
    end_ -= begin_;
    scanned_ -= begin_;
    begin_ = 0;
  }
  if (end_ == capacity_) grow();
  const std::size_t got = file_.read(buffer_.get() + end_, capacity_ - end_);
  end_ += got;
  at_end_ = got == 0;
}

void RecordReader::grow() {
  const std::size_t wanted = capacity_ == 0 ? kBlockBytes : 2 * capacity_;
  const auto too_long = [&] {
    return std::invalid_argument(file_.name() + ":" + std::to_string(record_count_ + 1) +
                                 ": is longer than " + human_bytes(static_cast<double>(capacity_)) +
                                 ", and more does not fit in memory (the limit is " +
                                 human_bytes(static_cast<double>(record_byte_limit_)) + ")");
  };
  if (capacity_ > 0 && wanted > record_byte_limit_) throw too_long();
  // realloc moves pages instead of bytes once they are many.
  auto* const bytes = static_cast<char*>(std::realloc(buffer_.get(), wanted));
  if (bytes == nullptr && capacity_ == 0) throw std::bad_alloc();
  if (bytes == nullptr) throw too_long();
  static_cast<void>(buffer_.release());
  buffer_.reset(bytes);
  capacity_ = wanted;
}

}  // namespace bloomery
