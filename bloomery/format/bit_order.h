// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

// Bits as other systems write them, and as our words have them: bit i is bit (i mod 64), counted
// from the least significant, of word i / 64.
namespace bloomery {

enum class BitOrder {
  lsb_first,  // bit i is bit (i mod 8), from the least significant, of byte i / 8: BitSet, LevelDB
  msb_first,  // the same from the most significant: SETBIT of Redis
};

// Takes bytes that are encoded, a piece at a time.
using ByteSink = std::function<void(std::span<const std::byte>)>;

// Bytes that may end early, as strings of Redis do after their last set bit: what is missing is
// clear. Throws FormatError, naming `format`, for bytes or bits beyond `bit_count`. `words` are as
// many as the bits need, and zero: what no byte says is not touched.
void read_bits(std::span<const std::byte> bytes, BitOrder order, std::uint64_t bit_count,
               std::span<std::uint64_t> words, const std::string& format);

// Throws FormatError, naming `format`, where bits beyond `bit_count` are set in the last word.
void require_bits_within(std::span<const std::uint64_t> words, std::uint64_t bit_count,
                         const std::string& format);

// The first `byte_count` bytes of the words' bits, in pieces of at most 64 KiB.
void write_bits(std::span<const std::uint64_t> words, std::uint64_t byte_count, BitOrder order,
                const ByteSink& sink);

// Bytes up to the last that is not zero: what SETBIT and BitSet.toByteArray leave.
std::uint64_t used_byte_count(std::span<const std::uint64_t> words, BitOrder order) noexcept;

}  // namespace bloomery
