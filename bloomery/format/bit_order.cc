// SPDX-License-Identifier: Apache-2.0
#include "bloomery/format/bit_order.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "bloomery/bits/bit_ops.h"
#include "bloomery/errors.h"

namespace bloomery {
namespace {

static_assert(std::endian::native == std::endian::little);

// The bits of each byte the other way round.
std::uint64_t reverse_bytes_bits(std::uint64_t word) noexcept {
  word = ((word >> 1) & 0x5555555555555555) | ((word & 0x5555555555555555) << 1);
  word = ((word >> 2) & 0x3333333333333333) | ((word & 0x3333333333333333) << 2);
  return ((word >> 4) & 0x0f0f0f0f0f0f0f0f) | ((word & 0x0f0f0f0f0f0f0f0f) << 4);
}

std::uint64_t in_order(std::uint64_t word, BitOrder order) noexcept {
  return order == BitOrder::msb_first ? reverse_bytes_bits(word) : word;
}

}  // namespace

void read_bits(std::span<const std::byte> bytes, BitOrder order, std::uint64_t bit_count,
               std::span<std::uint64_t> words, const std::string& format) {
  const std::uint64_t byte_count = (bit_count + 7) / 8;
  if (bytes.size() > byte_count) {
    throw FormatError("not " + format + ": " + std::to_string(bytes.size()) + " bytes, where " +
                      std::to_string(bit_count) + " bits take " + std::to_string(byte_count) +
                      " at the most");
  }
  if (!bytes.empty()) std::memcpy(words.data(), bytes.data(), bytes.size());
  if (order == BitOrder::msb_first) {
    for (std::uint64_t& word : words.first((bytes.size() + 7) / 8)) word = reverse_bytes_bits(word);
  }
  require_bits_within(words, bit_count, format);
}

void require_bits_within(std::span<const std::uint64_t> words, std::uint64_t bit_count,
                         const std::string& format) {
  const bool partial = bit_count % kWordBits != 0;
  if (partial && (words.back() & ~(bit_mask(bit_count) - 1)) != 0) {
    throw FormatError("not " + format + ": byte " + std::to_string((bit_count - 1) / 8) +
                      " has bits set beyond the last of its " + std::to_string(bit_count));
  }
}

void write_bits(std::span<const std::uint64_t> words, std::uint64_t byte_count, BitOrder order,
                const ByteSink& sink) {
  std::array<std::uint64_t, 8192> piece;
  while (byte_count > 0) {
    const std::size_t count = std::min(piece.size(), words.size());
    for (std::size_t i = 0; i < count; ++i) piece[i] = in_order(load_word(&words[i]), order);
    const auto bytes = std::as_bytes(std::span(piece).first(count));
    const std::uint64_t part = std::min<std::uint64_t>(byte_count, bytes.size());
    sink(bytes.first(part));
    byte_count -= part;
    words = words.subspan(count);
  }
}

std::uint64_t used_byte_count(std::span<const std::uint64_t> words, BitOrder order) noexcept {
  std::size_t count = words.size();
  while (count > 0 && load_word(&words[count - 1]) == 0) --count;
  if (count == 0) return 0;
  const std::uint64_t last = in_order(load_word(&words[count - 1]), order);
  return (count - 1) * 8 + (static_cast<std::uint64_t>(std::bit_width(last)) + 7) / 8;
}

}  // namespace bloomery
