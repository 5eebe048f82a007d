// SPDX-License-Identifier: Apache-2.0
#include "bloomery/store/delta_writer.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "bloomery/bits/bit_storage.h"
#include "bloomery/bits/byte_order.h"
#include "bloomery/format/native/crc32c.h"

namespace bloomery {
namespace {

constexpr std::size_t kGivenBytes = 1 << 20;

}  // namespace

DeltaWriter::DeltaWriter(ByteSink sink, std::span<const std::byte> head, std::uint64_t body_bytes)
    : sink_(std::move(sink)) {
  bytes_.resize(kDeltaStartBytes);
  std::ranges::copy(std::as_bytes(std::span(kDeltaMagic)), bytes_.begin());
  bytes_[8] = std::byte{kDeltaVersion};
  put_number(std::span(bytes_), 12, static_cast<std::uint32_t>(head.size()));
  put_number(std::span(bytes_), kDeltaBodyBytesAt, body_bytes);
  bytes_.insert(bytes_.end(), head.begin(), head.end());
}

void DeltaWriter::give() {
  checksum_ = crc32c(bytes_, checksum_);
  sink_(bytes_);
  bytes_.clear();
}

void DeltaWriter::put(std::uint64_t bits, unsigned count) {
  while (count != 0) {
    const unsigned part = std::min(count, 8 - bit_count_);
    bits_ |= (bits & ((1U << part) - 1)) << bit_count_;
    bits >>= part;
    count -= part;
    bit_count_ += part;
    if (bit_count_ < 8) return;
    bytes_.push_back(static_cast<std::byte>(bits_));
    bits_ = 0;
    bit_count_ = 0;
  }
}

void DeltaWriter::put_rice(std::uint64_t value, unsigned parameter) {
  const std::uint64_t quotient = value >> parameter;
  if (quotient >= kLongestQuotient) {
    put((1ULL << kLongestQuotient) - 1, kLongestQuotient);
    put(value, kWordBits);
    return;
  }
  put((1ULL << quotient) - 1, static_cast<unsigned>(quotient) + 1);
  put(value, parameter);
}

void DeltaWriter::put_learnt(std::uint64_t value, RiceModel& model) {
  put_rice(value, model.parameter());
  model.learn(value);
}

void DeltaWriter::put_line(std::span<const std::uint64_t> changed) {
  std::uint64_t count = 0;
  for (const std::uint64_t word : changed) count += static_cast<unsigned>(std::popcount(word));
  if (count == 0) return;
  put_learnt(line_ - next_, gaps_);
  next_ = line_ + 1;
  put_learnt(count - 1, counts_);
  if (count > kMostListed) {
    for (std::size_t i = 0; i < kLineWords; ++i) put(i < changed.size() ? changed[i] : 0, 64);
    return;
  }
  const unsigned parameter = distance_parameter(count);
  std::uint64_t expected = 0;
  for (std::size_t i = 0; i < changed.size(); ++i) {
    for (std::uint64_t word = changed[i]; word != 0; word &= word - 1) {
      const auto position = i * kWordBits + static_cast<unsigned>(std::countr_zero(word));
      put_rice(position - expected, parameter);
      expected = position + 1;
    }
  }
}

void DeltaWriter::add(std::span<const std::uint64_t> from, std::span<const std::uint64_t> to) {
  for (std::size_t at = 0; at < to.size(); at += kLineWords, ++line_) {
    std::array<std::uint64_t, kLineWords> changed{};
    const std::size_t count = std::min(kLineWords, to.size() - at);
    for (std::size_t i = 0; i < count; ++i) changed[i] = from[at + i] ^ to[at + i];
    put_line(std::span(changed).first(count));
    if (bytes_.size() >= kGivenBytes) give();
  }
}

void DeltaWriter::finish(const DeltaEnds& ends) {
  put_learnt(line_ - next_, gaps_);
  if (bit_count_ != 0) put(0, 8 - bit_count_);
  std::array<std::byte, kDeltaEndBytes - sizeof checksum_> both;
  put_number(std::span(both), 0, ends.from);
  put_number(std::span(both), 8, ends.to);
  bytes_.insert(bytes_.end(), both.begin(), both.end());
  give();
  std::array<std::byte, sizeof checksum_> sum;
  put_number(std::span(sum), 0, checksum_);
  sink_(sum);
}

}  // namespace bloomery
