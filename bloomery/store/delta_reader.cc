// SPDX-License-Identifier: Apache-2.0
#include "bloomery/store/delta_reader.h"

#include <algorithm>
#include <string>

#include "bloomery/bits/bit_storage.h"
#include "bloomery/bits/byte_order.h"
#include "bloomery/errors.h"
#include "bloomery/format/native/crc32c.h"
#include "bloomery/format/native/file_layout.h"
#include "bloomery/text/grouped.h"

namespace bloomery {
namespace {

[[noreturn]] void refuse(const std::string& why) {
  throw FormatError("not a delta of a filter: " + why);
}

}  // namespace

DeltaReader::DeltaReader(std::span<const std::byte> bytes) {
  const auto magic = std::as_bytes(std::span(kDeltaMagic));
  const std::size_t known = std::min(bytes.size(), magic.size());
  if (!std::ranges::equal(bytes.first(known), magic.first(known))) {
    refuse("it does not begin as one (bloomery delta OLD NEW makes one)");
  }
  if (bytes.size() < kDeltaStartBytes + kHeaderBytes + kDeltaEndBytes) {
    refuse("it ends after " + grouped(bytes.size()) + " bytes; it was cut");
  }
  if (bytes[8] != std::byte{kDeltaVersion}) {
    refuse("version " + std::to_string(std::to_integer<int>(bytes[8])) +
           "; this program knows version 1");
  }
  const std::size_t end = bytes.size() - kDeltaEndBytes;
  if (crc32c(bytes.first(bytes.size() - 4)) != get_number<std::uint32_t>(bytes, bytes.size() - 4)) {
    refuse("its checksum does not match: it was cut or damaged");
  }
  const auto head_bytes = get_number<std::uint32_t>(bytes, 12);
  if (head_bytes < kHeaderBytes ||
      head_bytes > std::min<std::uint64_t>(end - kDeltaStartBytes, kMaxHeadBytes)) {
    refuse("a head of " + grouped(head_bytes) + " bytes");
  }
  head_ = bytes.subspan(kDeltaStartBytes, head_bytes);
  stream_ = bytes.subspan(kDeltaStartBytes + head_bytes, end - kDeltaStartBytes - head_bytes);
  body_bytes_ = get_number<std::uint64_t>(bytes, kDeltaBodyBytesAt);
  if (body_bytes_ % sizeof(std::uint64_t) != 0 || body_bytes_ >> 60 != 0) {
    refuse("a body of " + grouped(body_bytes_) + " bytes");
  }
  line_count_ = (body_bytes_ + kLineBytes - 1) / kLineBytes;
  ends_ = {get_number<std::uint64_t>(bytes, end), get_number<std::uint64_t>(bytes, end + 8)};
  take_gap();
}

std::uint64_t DeltaReader::take(unsigned count) {
  if (count > stream_.size() * 8 - at_bit_) refuse("it ends within a line");
  std::uint64_t bits = 0;
  for (unsigned taken = 0; taken < count;) {
    const auto offset = static_cast<unsigned>(at_bit_ % 8);
    const unsigned part = std::min(count - taken, 8 - offset);
    const auto byte = std::to_integer<std::uint64_t>(stream_[at_bit_ / 8]) >> offset;
    bits |= (byte & ((1U << part) - 1)) << taken;
    taken += part;
    at_bit_ += part;
  }
  return bits;
}

std::uint64_t DeltaReader::take_rice(unsigned parameter) {
  std::uint64_t quotient = 0;
  while (quotient < kLongestQuotient && take(1) != 0) ++quotient;
  if (quotient == kLongestQuotient) return take(kWordBits);
  return quotient << parameter | take(parameter);
}

std::uint64_t DeltaReader::take_learnt(RiceModel& model) {
  const std::uint64_t value = take_rice(model.parameter());
  if (value > line_count_ + kLineBits) refuse("a number that no such filter needs");
  model.learn(value);
  return value;
}

void DeltaReader::take_gap() {
  const std::uint64_t gap = take_learnt(gaps_);
  if (gap > line_count_ - line_) refuse("a line behind the end of the body");
  next_ = line_ + gap;
}

void DeltaReader::change_line(std::span<std::uint64_t> words) {
  const std::uint64_t count = take_learnt(counts_) + 1;
  const auto change = [&](std::size_t word, std::uint64_t bits) {
    if (word < words.size()) {
      words[word] ^= bits;
    } else if (bits != 0) {
      refuse("a bit behind the end of its line");
    }
  };
  if (count > kMostListed) {
    for (std::size_t i = 0; i < kLineWords; ++i) change(i, take(kWordBits));
    return;
  }
  const unsigned parameter = distance_parameter(count);
  std::uint64_t expected = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t distance = take_rice(parameter);
    if (distance >= kLineBits - expected) refuse("a bit behind the end of its line");
    const std::uint64_t position = expected + distance;
    change(position / kWordBits, 1ULL << (position % kWordBits));
    expected = position + 1;
  }
}

void DeltaReader::apply(std::span<std::uint64_t> words) {
  const std::uint64_t first = line_;
  const std::uint64_t end = first + (words.size() + kLineWords - 1) / kLineWords;
  while (next_ < end && next_ < line_count_) {
    const auto rest = words.subspan((next_ - first) * kLineWords);
    change_line(rest.first(std::min(rest.size(), kLineWords)));
    line_ = next_ + 1;
    take_gap();
  }
  line_ = end;
}

void DeltaReader::finish() {
  if (line_ != line_count_ || next_ != line_count_)
    refuse("it changes lines that were not asked for");
  const std::uint64_t left = stream_.size() * 8 - at_bit_;
  if (left >= 8 || take(static_cast<unsigned>(left)) != 0) refuse("bytes behind its last line");
}

}  // namespace bloomery
